import type { Client } from '@temporalio/client';
import { CommandError, usageError } from '#cli/errors';
import type { Config } from '#infra/config';
import { createTemporalClient } from '#infra/temporal/client';
import { explainTemporalError } from '#infra/temporal/errors';

const REACHABLE_TIMEOUT_MS = 5_000;

/**
 * Runs `work` with a Temporal client after checking that Temporal responds, because the work may take long. Errors name
 * the variable to check.
 */
export async function withTemporalClient<T>({ temporal }: Config, work: (client: Client) => Promise<T>): Promise<T> {
  const client = createTemporalClient(temporal);
  try {
    await client.withDeadline(Date.now() + REACHABLE_TIMEOUT_MS, () => client.workflowService.getSystemInfo({}));
    return await work(client);
  } catch (error) {
    throw error instanceof CommandError ? error : explainTemporalError(error, temporal);
  } finally {
    await client.connection.close();
  }
}

/** Parses an option that takes a count. */
export function parseCountOption(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw usageError(`--${option} must be a whole number of at least 1.`);
  return Number(value);
}
