import type { Problem } from '#contract/problem';
import type { Question } from '#contract/question';
import type { RequestAttempt, UserAction } from './event-log';

const REQUEST_TIMEOUT_MS = 10_000;

/** Makes one request. Never throws: without a reply, the status is missing. */
export async function tryRequest(
  url: string,
  init: RequestInit = {},
): Promise<{ status?: number; body?: unknown; detail?: string }> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  } catch (error) {
    const { cause, message } = error as Error;
    return { detail: `${message}${cause instanceof Error ? `: ${cause.message}` : ''}` };
  }
}

const ACTION_ROUTES = {
  start: () => '/v1/conversations',
  answer: ({ conversation, question }: UserAction) => `/v1/conversations/${conversation}/questions/${question}/answer`,
  decline: ({ conversation, question }: UserAction) =>
    `/v1/conversations/${conversation}/questions/${question}/decline`,
  message: ({ conversation }: UserAction) => `/v1/conversations/${conversation}/messages`,
  cancel: ({ conversation }: UserAction) => `/v1/conversations/${conversation}/cancel`,
};

/** Sends the action once to that API, and records the reply. */
export async function sendAction(action: UserAction, api: string): Promise<RequestAttempt> {
  const sentAt = Date.now();
  const key: { [name: string]: string } = action.hasIdempotencyKey ? { 'idempotency-key': action.id } : {};
  const { status, body, detail } = await tryRequest(`${api}${ACTION_ROUTES[action.kind](action)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...key },
    body: JSON.stringify(action.body),
  });
  const problem = body as (Partial<Problem> & { question?: Question }) | undefined;
  const attempt: RequestAttempt = { api, sentAt, repliedAt: Date.now(), status, detail: problem?.detail ?? detail };
  if (problem?.code) attempt.code = problem.code;
  if (problem?.question && action.question) attempt.question = problem.question;
  action.attempts.push(attempt);
  return attempt;
}
