import path from 'node:path';
import type { Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';
import type { EncryptionKeyRing } from '#infra/crypto/encryption-keys';
import { findPackageRoot } from '#infra/package-info';
import { createDataConverter } from '#infra/temporal/codec/data-converter';
import { createEncryptionCodec, readPayloadKeyId } from '#infra/temporal/codec/payload-codecs';
import { extractTaskFailureReason } from '#infra/temporal/errors';
import { buildWorkflowBundle } from '#infra/temporal/workflow-bundle';
import type { OpenWorkflow } from './open-workflows';

export type WorkflowHistory = temporal.api.history.v1.IHistory;

/** A history and whose it is. */
export interface ReplayCase {
  id: string;
  history: WorkflowHistory;
}

/** What came of it: `locked` is one whose encryption key is not here, `unbegun` one that no worker has touched. */
type ReplayOutcome<C extends ReplayCase> = {
  of: Omit<C, 'history'>;
  came: 'fine' | 'broken' | 'locked' | 'unbegun';
  reason?: string;
};

export interface WorkflowCode {
  workflowBundle: WorkflowBundleOption;
  keys?: EncryptionKeyRing;
}

/** Replay each against this code, one at a time, so that only as much is in memory as is fetched ahead. */
export async function* replayHistories<C extends ReplayCase>(
  cases: AsyncIterable<C> | Iterable<C>,
  { workflowBundle, keys }: WorkflowCode,
): AsyncGenerator<ReplayOutcome<C>> {
  const told: ReplayOutcome<C>[] = [];
  let current: Omit<C, 'history'> | undefined;
  async function* playable() {
    for await (const { history, ...of } of cases) {
      const reason = await findDecryptionError(history, keys);
      if (reason) told.push({ of, came: 'locked', reason });
      else if (!hasCompletedTask(history)) told.push({ of, came: 'unbegun' });
      else {
        current = of;
        yield { workflowId: of.id, history };
      }
    }
  }
  const options = { workflowBundle, dataConverter: createDataConverter(keys) };
  for await (const { error } of Worker.runReplayHistories(options, playable())) {
    yield* told.splice(0);
    if (!current) continue;
    yield error
      ? { of: current, came: 'broken', reason: extractTaskFailureReason(error.message) }
      : { of: current, came: 'fine' };
  }
  yield* told;
}

/** With no task completed there is nothing that the code could contradict. */
function hasCompletedTask({ events }: WorkflowHistory): boolean {
  return (events ?? []).some((event) => event.workflowTaskCompletedEventAttributes);
}

type EncryptedHistory = temporal.api.history.v1.IHistory;

/** Why a history cannot be read with these keys, if so. A replay of it would tell nothing about the code. */
async function findDecryptionError(
  history: EncryptedHistory,
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
  if (Array.isArray(value)) for (const one of value) yield* iteratePayloads(one);
  else if (isPayload(value)) yield value;
  else for (const part of Object.values(value)) yield* iteratePayloads(part);
}

function isPayload(value: object): value is Payload {
  return 'metadata' in value && 'data' in value && value.data instanceof Uint8Array;
}

/** What would not go on with this code, and why. */
export interface ReplayFailure {
  id: string;
  reason: string;
  runId?: string;
  type?: string;
  agent?: string | null;
  questionSince?: string | null;
  file?: string;
}

export interface ReplayReport {
  replayed: number;
  /** Nothing of theirs has run yet, so no code can break them. */
  unbegun: number;
  broken: ReplayFailure[];
  /** Not replayed: the key they were encrypted with is not here. */
  locked: ReplayFailure[];
}

/** What is known of one that is open, or of a recorded one. */
type ReplayedWorkflow = { id: string } & Partial<OpenWorkflow> & { file?: string };

/** Only what is at fault is kept: there may be ten thousand that are not. */
export async function collectReplayReport<C extends ReplayCase>(
  outcomes: AsyncIterable<ReplayOutcome<C>>,
  heard: (sofar: ReplayReport) => void = () => undefined,
): Promise<ReplayReport> {
  const report: ReplayReport = { replayed: 0, unbegun: 0, broken: [], locked: [] };
  for await (const { of, came, reason = '' } of outcomes) {
    if (came === 'fine' || came === 'broken') report.replayed += 1;
    if (came === 'unbegun') report.unbegun += 1;
    if (came === 'broken' || came === 'locked') report[came].push(await toReplayFailure(of, reason));
    heard(report);
  }
  return report;
}

async function toReplayFailure(of: ReplayedWorkflow, reason: string): Promise<ReplayFailure> {
  const { id, runId, type, agent, file, questionSince } = of;
  if (file) return { id, reason, file };
  return { id, reason, runId, type, agent, questionSince: await questionSince?.() };
}

/** 0: all go on. 1: some would break. 2: nobody can tell, for want of a key. */
export function replayExitCode({ broken, locked }: ReplayReport): 0 | 1 | 2 {
  if (broken.length > 0) return 1;
  return locked.length > 0 ? 2 : 0;
}

export function formatReplayReport(report: ReplayReport, what: string): string {
  const { replayed, unbegun, broken, locked } = report;
  const counts = [
    `${pluralize(replayed, 'history', 'histories')} replayed (${what})`,
    ...(unbegun > 0 ? [`${unbegun} not begun yet`] : []),
    broken.length > 0 ? `${broken.length} would break` : 'none would break',
    ...(locked.length > 0 ? [`${locked.length} could not be read`] : []),
  ];
  return [
    `${counts.join(', ')}.`,
    ...formatFailures('Would break on this build:', broken),
    ...formatFailures('Could not be read, and so not be checked:', locked),
  ].join('\n');
}

function formatFailures(heading: string, faults: ReplayFailure[]): string[] {
  if (faults.length === 0) return [];
  return ['', heading, ...faults.map((fault) => `  ${formatFailureTitle(fault)}\n      ${fault.reason}`)];
}

function formatFailureTitle({ id, file, type, agent, questionSince }: ReplayFailure): string {
  if (file) return file;
  const parts = [
    type === 'courier' ? 'a courier' : agent && `agent ${agent}`,
    questionSince && `question open since ${questionSince}`,
  ];
  return [id, ...parts.filter(Boolean)].join('  ');
}

const pluralize = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

/** The workflows of this build, as its workers run them. */
export async function loadCurrentWorkflowCode(keys: EncryptionKeyRing | undefined): Promise<WorkflowCode> {
  return { workflowBundle: await buildWorkflowBundle(path.join(findPackageRoot(), 'dist'), keys), keys };
}
