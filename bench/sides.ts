import type { Client } from '@temporalio/client';
import type { State } from '../src/core/state';
import { answer, bare, EVENTS_WHEN_PARKED } from './bare-workflow';
import { ENDING, OPTIONS } from './world';

/** One of the two that are compared. */
export interface Side {
  name: 'Parley' | 'bare';
  start(id: string): Promise<void>;
  /** One look: a single describe on either side. */
  isParked(id: string): Promise<boolean>;
  answer(id: string): Promise<void>;
  /** Whether a conversation's result is what it should be. */
  isRight(result: unknown): boolean;
}

export const BARE_QUEUE = 'bare';
const [ANSWER] = OPTIONS;

/** Parley as its users have it: over HTTP alone. */
export function parleySide(url: string): Side {
  const conversations = `${url}/v1/conversations`;
  return {
    name: 'Parley',
    async start(id) {
      await expectStatus(await post(conversations, { id, message: id }), 201);
    },
    async isParked(id) {
      const response = await fetch(`${conversations}/${id}/questions/latest`);
      await expectStatus(response, 200, 404);
      return response.status === 200;
    },
    async answer(id) {
      // 202: taken, and no worker has got to it within two seconds. That is slow, not wrong.
      await expectStatus(
        await post(`${conversations}/${id}/questions/question-1/answer`, { answer: ANSWER }),
        200,
        202,
      );
    },
    isRight(result) {
      const { status, result: text, settled } = result as State;
      return status === 'completed' && text === ENDING && settled?.outcome?.answers?.q1 === ANSWER;
    },
  };
}

/** The bare workflow, started and signalled straight by the client. */
export function bareSide(client: Client): Side {
  return {
    name: 'bare',
    async start(id) {
      await client.workflow.start(bare, { workflowId: id, taskQueue: BARE_QUEUE, args: [id] });
    },
    async isParked(id) {
      return (await client.workflow.getHandle(id).describe()).historyLength >= EVENTS_WHEN_PARKED;
    },
    async answer(id) {
      await client.workflow.getHandle(id).signal(answer, ANSWER);
    },
    isRight: (result) => result === ANSWER,
  };
}

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function expectStatus(response: Response, ...wanted: number[]): Promise<void> {
  const text = await response.text();
  if (!wanted.includes(response.status)) throw new Error(`${response.url}: ${response.status} ${text}`);
}
