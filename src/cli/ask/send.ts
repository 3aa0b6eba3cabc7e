import type { Answered } from '#client/input';
import type { Parley } from '#client/parley';
import { ParleyError } from '#client/parley-error';
import { newKey } from '#client/request';
import type { Fault, Question } from '#contract/question';
import type { Reply } from './reply';

/** What is to be sent. */
export type Message = Extract<Reply, { kind: 'answer' | 'decline' }>;

/** What came of sending it. */
export type Sent =
  | { kind: 'settled' | 'kept' | 'gone'; question: Question }
  | { kind: 'refused'; error: ParleyError }
  | { kind: 'faulty'; faults: readonly Fault[] }
  | { kind: 'failed'; error: ParleyError };

export type Send = (message: Message, signal?: AbortSignal) => Promise<Sent>;

/** Sends to one question. The same message, sent again, counts once: it has the same key each time. */
export function sender(parley: Parley, question: Question): Send {
  const keys = new Map<string, string>();
  return async (message, signal) => {
    const body = JSON.stringify(message);
    const idempotencyKey = keys.get(body) ?? newKey();
    keys.set(body, idempotencyKey);
    try {
      return standing(await write(parley, question, message, { idempotencyKey, signal }), question);
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error;
      return failing(error, question);
    }
  };
}

function write(
  parley: Parley,
  { conversationId, id }: Question,
  { kind, ...message }: Message,
  options: { idempotencyKey: string; signal?: AbortSignal },
): Promise<Answered> {
  return 'answers' in message
    ? parley.answer(conversationId, { question: id, ...message }, options)
    : parley.decline(conversationId, { question: id, ...message }, options);
}

function standing({ question }: Answered, asked: Question): Sent {
  return question.status === 'pending' ? { kind: 'kept', question: asked } : { kind: 'settled', question };
}

function failing(error: ParleyError, asked: Question): Sent {
  const { code, status, problem } = error;
  if (code === 'invalid_answer' && problem?.errors?.length) return { kind: 'faulty', faults: problem.errors };
  if (problem && (status === 401 || status === 403)) return { kind: 'refused', error };
  if (problem && status === 404) throw error;
  if (status === 409 && problem?.question) return { kind: 'gone', question: problem.question };
  if (code === 'conversation_finished') return { kind: 'gone', question: asked };
  return { kind: isPassing(error) ? 'failed' : 'refused', error };
}

/** The same, sent again, may be taken. A page of whatever stands in between may pass, unless it is about what was sent. */
function isPassing({ status = 0, problem }: ParleyError): boolean {
  if (status === 400 || status === 413) return false;
  return !problem || status >= 500 || status === 429;
}

/** Nobody knows whether it arrived. */
export function isUnsure(sent: Sent): boolean {
  if (sent.kind !== 'failed') return false;
  const { code, status = 0 } = sent.error;
  return code === 'network' || code === 'unexpected_response' || status >= 500;
}
