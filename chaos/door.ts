import type { Problem } from '#contract/problem';
import type { Question } from '#contract/question';
import type { Act, Try } from './ledger';

const PATIENCE_MS = 10_000;

/** One request, and what was said to it. Nothing is thrown: no reply is a reply, too. */
export async function request(
  url: string,
  init: RequestInit = {},
): Promise<{ status?: number; body?: unknown; detail?: string }> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  } catch (error) {
    const { cause, message } = error as Error;
    return { detail: `${message}${cause instanceof Error ? `: ${cause.message}` : ''}` };
  }
}

const ROUTES = {
  start: () => '/v1/conversations',
  answer: ({ conversation, question }: Act) =>
    `/v1/conversations/${conversation}/questions/${question}/answer`,
  decline: ({ conversation, question }: Act) =>
    `/v1/conversations/${conversation}/questions/${question}/decline`,
  message: ({ conversation }: Act) => `/v1/conversations/${conversation}/messages`,
  cancel: ({ conversation }: Act) => `/v1/conversations/${conversation}/cancel`,
};

/** Send it once, to that API, and write down what came back. */
export async function tryOnce(act: Act, api: string): Promise<Try> {
  const sentAt = Date.now();
  const key: { [name: string]: string } = act.isKeyed ? { 'idempotency-key': act.id } : {};
  const { status, body, detail } = await request(`${api}${ROUTES[act.deed](act)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...key },
    body: JSON.stringify(act.body),
  });
  const said = body as (Partial<Problem> & { question?: Question }) | undefined;
  const made: Try = { api, sentAt, repliedAt: Date.now(), status, detail: said?.detail ?? detail };
  if (said?.code) made.code = said.code;
  if (said?.question && act.question) made.question = said.question;
  act.tries.push(made);
  return made;
}
