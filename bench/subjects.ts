import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { ConversationState } from '#core/conversation/state';
import { ANSWER_CHOICES, COMPLETION_TEXT } from './callback-server';
import { bareAnswerSignal, bareWorkflow, NO_ANSWER_RESULT, PARKED_EVENT_COUNT } from './processes/bare-workflow';

/** One of the two systems that are compared. */
export interface BenchSubject {
  name: string;
  /** Reads the subject's workflows in Temporal. */
  client: Client;
  /** The question waits for a day by default. */
  start(id: string, timeoutMs?: number): Promise<void>;
  /** Makes a single describe call, for either subject. */
  isParked(id: string): Promise<boolean>;
  answer(id: string): Promise<void>;
  /** Resolves with the result once the conversation has ended. */
  result(id: string): Promise<unknown>;
  /** Whether a conversation's result is as expected. */
  isExpectedResult(result: unknown): boolean;
  /** Whether the result is as expected without an answer: one outcome, a timeout. */
  isTimedOutResult(result: unknown): boolean;
}

export const BARE_TASK_QUEUE = 'bare';
const [ANSWER] = ANSWER_CHOICES;

/**
 * Creates the Parley subject, which is used over HTTP only. Results are read with Temporal's own long poll, as for the
 * bare subject.
 */
export function createParleySubject(url: string, client: Client, name = 'Parley'): BenchSubject {
  const conversations = `${url}/v1/conversations`;
  return {
    name,
    client,
    async start(id, timeoutMs) {
      const question = timeoutMs && { timeout: `${Math.max(1, Math.round(timeoutMs / 1_000))}s` };
      await fetchExpectedStatus(() => postJson(conversations, { id, message: id, question }), 201);
    },
    async isParked(id) {
      const readLatestQuestion = () => fetch(`${conversations}/${id}/questions/latest`);
      return (await fetchExpectedStatus(readLatestQuestion, 200, 404)) === 200;
    },
    async answer(id) {
      // 202 means accepted, but no worker has handled it within two seconds. That is slow, not wrong.
      const url = `${conversations}/${id}/questions/question-1/answer`;
      await fetchExpectedStatus(() => postJson(url, { answer: ANSWER }), 200, 202);
    },
    result: (id) => client.workflow.getHandle(id).result(),
    isExpectedResult(result) {
      const { status, result: text, settledQuestion } = result as ConversationState;
      return status === 'completed' && text === COMPLETION_TEXT && settledQuestion?.outcome?.answers?.q1 === ANSWER;
    },
    isTimedOutResult(result) {
      const { status, result: text, settledQuestion, entries, questionCount: asked } = result as ConversationState;
      const questions = entries.flatMap((entry) => (entry.kind === 'question' ? [entry.question] : []));
      const isOne = asked.total === 1 && questions.length === 1 && questions[0]?.status === 'timed_out';
      return isOne && settledQuestion?.status === 'timed_out' && status === 'completed' && text === COMPLETION_TEXT;
    },
  };
}

/** Creates the bare subject, started and signalled directly by the client. */
export function createBareSubject(client: Client): BenchSubject {
  return {
    name: 'bare',
    client,
    async start(id, timeoutMs) {
      await client.workflow.start(bareWorkflow, {
        workflowId: id,
        taskQueue: BARE_TASK_QUEUE,
        args: [id, timeoutMs],
      });
    },
    async isParked(id) {
      return (await client.workflow.getHandle(id).describe()).historyLength >= PARKED_EVENT_COUNT;
    },
    async answer(id) {
      await client.workflow.getHandle(id).signal(bareAnswerSignal, ANSWER);
    },
    result: (id) => client.workflow.getHandle(id).result(),
    isExpectedResult: (result) => result === ANSWER,
    isTimedOutResult: (result) => result === NO_ANSWER_RESULT,
  };
}

function postJson(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const MAX_TRIES = 5;
/** Statuses of an overloaded machine. The request may still have taken effect; then the retry returns 409. */
const BUSY_STATUSES = [500, 503];
const ALREADY_DONE = 409;

/** Returns the status if it is among those wanted. Retries if the API is overloaded or the connection closed. */
async function fetchExpectedStatus(send: () => Promise<Response>, ...wanted: number[]): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const { status, text } = await readResponse(send);
    if (wanted.includes(status) || (tries > 1 && status === ALREADY_DONE)) return status;
    const isBusy = status === CONNECTION_CLOSED || BUSY_STATUSES.includes(status);
    if (!isBusy || tries === MAX_TRIES) throw new Error(`Parley: ${status} ${text}`);
    console.log(`  Asked again after ${status}: ${text.slice(0, 200)}`);
    await pause(1_000);
  }
}

const CONNECTION_CLOSED = 0;

async function readResponse(send: () => Promise<Response>): Promise<{ status: number; text: string }> {
  try {
    const response = await send();
    return { status: response.status, text: `${response.url}: ${await response.text()}` };
  } catch (error) {
    return { status: CONNECTION_CLOSED, text: String((error as Error).cause ?? error) };
  }
}
