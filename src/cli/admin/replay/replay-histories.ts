import path from 'node:path';
import { IllegalStateError, type Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';
import type { EncryptionKeyRing } from '#infra/crypto/encryption-keys';
import { createLog } from '#infra/log';
import { findPackageRoot } from '#infra/package-info';
import { createDataConverter } from '#infra/temporal/codec/data-converter';
import { createEncryptionCodec, readPayloadKeyId } from '#infra/temporal/codec/encryption-and-compression';
import { extractTaskFailureReason } from '#infra/temporal/errors';
import { buildWorkflowBundle } from '#infra/temporal/workflow-bundle';
import { MAX_WORKFLOW_CALL_MS } from '#worker/deadlock-detector/detector';
import { installTemporalRuntime } from '#worker/temporal-runtime';

export type WorkflowHistory = temporal.api.history.v1.IHistory;

/** An open or recorded workflow. */
export interface ReplayedWorkflow {
  id: string;
  runId?: string;
  type?: string;
  agent?: string | null;
  file?: string;
}

export interface ReplayCase extends ReplayedWorkflow {
  history: WorkflowHistory;
}

/** The result of one replay. `locked`: its encryption key is missing here. `unbegun`: no worker has run it yet. */
interface ReplayOutcome {
  workflow: ReplayedWorkflow;
  status: 'ok' | 'broken' | 'locked' | 'unbegun';
  reason?: string;
}

export interface WorkflowCode {
  workflowBundle: WorkflowBundleOption;
  keys?: EncryptionKeyRing;
}

/** Replays each history against this code, one at a time, so that only prefetched histories are in memory. */
export async function* replayHistories(
  cases: AsyncIterable<ReplayCase> | Iterable<ReplayCase>,
  { workflowBundle, keys }: WorkflowCode,
): AsyncGenerator<ReplayOutcome> {
  const skipped: ReplayOutcome[] = [];
  let current: ReplayedWorkflow | undefined;
  async function* replayableHistories() {
    for await (const { history, ...workflow } of cases) {
      const reason = await findDecryptionError(history, keys);
      if (reason) skipped.push({ workflow, status: 'locked', reason });
      else if (!hasCompletedTask(history)) skipped.push({ workflow, status: 'unbegun' });
      else {
        current = workflow;
        yield { workflowId: workflow.id, history };
      }
    }
  }
  const options = {
    workflowBundle,
    dataConverter: createDataConverter(keys),
    // A replay has no time limit by default, so code that never returns would hang it.
    isolateExecutionTimeout: MAX_WORKFLOW_CALL_MS,
  };
  silenceTemporal();
  for await (const { error } of Worker.runReplayHistories(options, replayableHistories())) {
    yield* skipped.splice(0);
    if (!current) continue;
    yield error
      ? { workflow: current, status: 'broken', reason: extractTaskFailureReason(error.message) }
      : { workflow: current, status: 'ok' };
  }
  yield* skipped;
}

/** Suppresses Temporal's own log lines, unless this process has already installed the runtime. */
function silenceTemporal(): void {
  try {
    installTemporalRuntime(createLog('silent'));
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

/** Returns whether a workflow task has completed. Without one, there is nothing for the code to contradict. */
function hasCompletedTask({ events }: WorkflowHistory): boolean {
  return (events ?? []).some((event) => event.workflowTaskCompletedEventAttributes);
}

/** Returns why these keys cannot decrypt a history, if so. Replaying it would show nothing about the code. */
async function findDecryptionError(
  history: WorkflowHistory,
  keys: EncryptionKeyRing | undefined,
): Promise<string | undefined> {
  const samples = new Map<string, Payload>();
  for (const payload of iteratePayloads(history.events)) {
    const id = readPayloadKeyId(payload);
    if (id !== undefined && !samples.has(id)) samples.set(id, payload);
  }
  for (const payload of samples.values()) {
    try {
      await createEncryptionCodec(keys).decode([payload]);
    } catch (error) {
      return (error as Error).message;
    }
  }
  return undefined;
}

function* iteratePayloads(value: unknown): Generator<Payload> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  if (Array.isArray(value)) for (const item of value) yield* iteratePayloads(item);
  else if (isPayload(value)) yield value;
  else for (const child of Object.values(value)) yield* iteratePayloads(child);
}

function isPayload(value: object): value is Payload {
  return 'metadata' in value && 'data' in value && value.data instanceof Uint8Array;
}

/** A workflow that would fail on this code, or could not be replayed. */
interface ReplayFailure extends ReplayedWorkflow {
  reason: string;
}

export interface ReplayReport {
  replayed: number;
  /** Workflows that have not started, so no code can break them. */
  unbegun: number;
  broken: ReplayFailure[];
  /** Workflows not replayed because their encryption key is missing here. */
  locked: ReplayFailure[];
}

/** Collects counts and failures only, because there may be ten thousand histories without failures. */
export async function collectReplayReport(
  outcomes: AsyncIterable<ReplayOutcome>,
  onProgress: (report: ReplayReport) => void = () => undefined,
): Promise<ReplayReport> {
  const report: ReplayReport = { replayed: 0, unbegun: 0, broken: [], locked: [] };
  for await (const { workflow, status, reason = '' } of outcomes) {
    if (status === 'ok' || status === 'broken') report.replayed += 1;
    if (status === 'unbegun') report.unbegun += 1;
    if (status === 'broken' || status === 'locked') report[status].push({ ...workflow, reason });
    onProgress(report);
  }
  return report;
}

/** Returns 0 if all workflows can continue, 1 if some would break, 2 if unknown because a key is missing. */
export function replayExitCode({ broken, locked }: ReplayReport): 0 | 1 | 2 {
  if (broken.length > 0) return 1;
  return locked.length > 0 ? 2 : 0;
}

export function formatReplayReport(report: ReplayReport, scope: string): string {
  const { replayed, unbegun, broken, locked } = report;
  const counts = [
    `${replayed} ${replayed === 1 ? 'history' : 'histories'} replayed (${scope})`,
    ...(unbegun > 0 ? [`${unbegun} not started`] : []),
    broken.length > 0 ? `${broken.length} would break` : 'none would break',
    ...(locked.length > 0 ? [`${locked.length} could not be read`] : []),
  ];
  return [
    `${counts.join(', ')}.`,
    ...formatFailures('Would break on this build:', broken),
    ...formatFailures('Not checked, because they could not be read:', locked),
  ].join('\n');
}

function formatFailures(heading: string, failures: ReplayFailure[]): string[] {
  if (failures.length === 0) return [];
  return ['', heading, ...failures.map((failure) => `  ${formatFailureTitle(failure)}\n      ${failure.reason}`)];
}

function formatFailureTitle({ id, file, type, agent }: ReplayFailure): string {
  if (file) return file;
  const owner = type === 'delivery' ? 'delivery' : agent && `agent ${agent}`;
  return [id, owner].filter(Boolean).join('  ');
}

/** Builds the workflow code of this build, as its workers run it. */
export async function loadCurrentWorkflowCode(keys: EncryptionKeyRing | undefined): Promise<WorkflowCode> {
  return { workflowBundle: await buildWorkflowBundle(path.join(findPackageRoot(), 'dist'), keys), keys };
}
