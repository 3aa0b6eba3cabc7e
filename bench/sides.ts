import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { State } from '#core/state';
import { answer, bare, EVENTS_WHEN_PARKED, NOBODY } from './bare-workflow';
import { ENDING, OPTIONS } from './world';

/** One of the two that are compared. */
export interface Side {
  name: string;
  /** Reads what it left in Temporal. */
  client: Client;
  /** Its question waits for a day unless told. */
  start(id: string, timeoutMs?: number): Promise<void>;
  /** One look: a single describe on either side. */
  isParked(id: string): Promise<boolean>;
  answer(id: string): Promise<void>;
  /** What it came to, as soon as it has. */
  result(id: string): Promise<unknown>;
  /** Whether a conversation's result is what it should be. */
  isRight(result: unknown): boolean;
  /** Whether it is what it should be where nobody answered: one outcome, and that one. */
  isExpired(result: unknown): boolean;
}

export const BARE_QUEUE = 'bare';
const [ANSWER] = OPTIONS;

/** Parley as its users have it: over HTTP alone. What it came to is read by Temporal's own long poll, as the other's is. */
export function parleySide(url: string, client: Client, name = 'Parley'): Side {
  const conversations = `${url}/v1/conversations`;
  return {
    name,
    client,
    async start(id, timeoutMs) {
      const question = timeoutMs && { timeout: `${Math.max(1, Math.round(timeoutMs / 1_000))}s` };
      await expectStatus(() => post(conversations, { id, message: id, question }), 201);
    },
    async isParked(id) {
      const look = () => fetch(`${conversations}/${id}/questions/latest`);
      return (await expectStatus(look, 200, 404)) === 200;
    },
    async answer(id) {
      // 202: taken, and no worker has got to it within two seconds. That is slow, not wrong.
      const url = `${conversations}/${id}/questions/question-1/answer`;
      await expectStatus(() => post(url, { answer: ANSWER }), 200, 202);
    },
    result: (id) => client.workflow.getHandle(id).result(),
    isRight(result) {
      const { status, result: text, settled } = result as State;
      return status === 'completed' && text === ENDING && settled?.outcome?.answers?.q1 === ANSWER;
    },
    isExpired(result) {
      const { status, result: text, settled, entries, asked } = result as State;
      const questions = entries.flatMap((entry) => (entry.kind === 'question' ? [entry.question] : []));
      const isOne = asked.total === 1 && questions.length === 1 && questions[0]?.status === 'timed_out';
      return isOne && settled?.status === 'timed_out' && status === 'completed' && text === ENDING;
    },
  };
}

/** The bare workflow, started and signalled straight by the client. */
export function bareSide(client: Client): Side {
  return {
    name: 'bare',
    client,
    async start(id, timeoutMs) {
      await client.workflow.start(bare, { workflowId: id, taskQueue: BARE_QUEUE, args: [id, timeoutMs] });
    },
    async isParked(id) {
      return (await client.workflow.getHandle(id).describe()).historyLength >= EVENTS_WHEN_PARKED;
    },
    async answer(id) {
      await client.workflow.getHandle(id).signal(answer, ANSWER);
    },
    result: (id) => client.workflow.getHandle(id).result(),
    isRight: (result) => result === ANSWER,
    isExpired: (result) => result === NOBODY,
  };
}

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const PATIENCE = 5;
/** On a machine that is too busy to reply in time: it may have been done all the same, and 409 says so. */
const BUSY = [500, 503];
const DONE = 409;

/** The status, of these; asked again where the API had no time, or a connection was closed just as it was used. */
async function expectStatus(ask: () => Promise<Response>, ...wanted: number[]): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const { status, text } = await heard(ask);
    if (wanted.includes(status) || (tries > 1 && status === DONE)) return status;
    const isBusy = status === CUT_OFF || BUSY.includes(status);
    if (!isBusy || tries === PATIENCE) throw new Error(`Parley: ${status} ${text}`);
    console.log(`  Asked again after ${status}: ${text.slice(0, 200)}`);
    await pause(1_000);
  }
}

const CUT_OFF = 0;

async function heard(ask: () => Promise<Response>): Promise<{ status: number; text: string }> {
  try {
    const response = await ask();
    return { status: response.status, text: `${response.url}: ${await response.text()}` };
  } catch (error) {
    return { status: CUT_OFF, text: String((error as Error).cause ?? error) };
  }
}
