import { PROBLEMS, type ProblemCode } from '#contract/problem';
import { html } from '#infra/html';
import { renderAnswerPage } from './answer/page';

/** What to do about each problem. Plain text with Markdown's code spans. */
export const PROBLEM_ADVICE: Readonly<Record<ProblemCode, string>> = {
  invalid_request: 'Fix everything listed in `errors`.',
  invalid_json: 'Send one JSON object in UTF-8.',
  invalid_answer: 'Fix every field listed in `errors`; `allowed` lists valid values.',
  unknown_agent: 'Choose an agent listed in `allowed`.',
  unauthenticated: 'Send a valid key as `Authorization: Bearer`. Your administrator creates keys.',
  forbidden: 'Ask your administrator for the scope in `detail`, or the owner to assign you.',
  not_found: 'Check method and path against `/docs`.',
  method_not_allowed: 'Use a method from the `Allow` header.',
  conversation_not_found: 'Check the id and the key.',
  agent_not_found: 'Check the name with `GET /v1/agents`.',
  question_not_found: 'Check the id, or use `latest`.',
  result_not_found: 'Check the handle, and that `PARLEY_STORAGE` is the same for API and workers.',
  idempotency_conflict: 'Use a new key for a new request. Repeat the old request unchanged.',
  question_answered: 'Read the outcome in `question`. Do not retry.',
  question_declined: 'Read the outcome in `question`. Do not retry.',
  question_timed_out: 'Read the outcome in `question`. Send a message to tell the agent more.',
  question_cancelled: 'Read the outcome in `question`. Do not retry.',
  link_revoked: 'Let the person answer with a key, or ask another person.',
  conversation_finished: 'Start a new conversation. If it is a sub-agent, message its parent, named in `detail`.',
  too_large: 'Send less, as `detail` says, or retry when the agent has caught up.',
  unsupported_media_type: 'Send `Content-Type: application/json` in UTF-8.',
  rate_limited: 'Wait for `Retry-After` seconds, or close streams.',
  head_too_large: 'Send fewer or shorter headers.',
  internal: 'Retry with the same `Idempotency-Key`. Your administrator finds `X-Request-Id` in the log.',
  temporal_unavailable: 'Retry after `Retry-After` seconds with the same `Idempotency-Key`.',
  encryption_key_missing: 'Your administrator adds the key to `PARLEY_ENCRYPTION_KEYS`.',
  outcome_unknown:
    'Retry after `Retry-After` seconds with the same `Idempotency-Key`. You get the outcome once it is known.',
  worker_unavailable: 'Retry after `Retry-After` seconds. If it lasts, start a worker.',
  storage_unavailable: 'Retry shortly. Your administrator finds the reason in the log.',
  stopping: 'Send requests to another process; `/readyz` recovers after the restart.',
  mail_unavailable: 'Nothing to do: the mail service delivers the reply again.',
};

/** Renders the page that the `type` of every problem links to: one section for each code. `base` is as for answer pages. */
export function renderProblemsPage(base: string): string {
  const sections = (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => {
    const [status, title] = PROBLEMS[code];
    const advice = PROBLEM_ADVICE[code]
      .split('`')
      .map((part, index) => (index % 2 ? html`<code>${part}</code>` : part));
    return html`<h2 id="${code}"><code>${code}</code></h2>
<p>${status} · ${title}. ${advice}</p>
`;
  });
  const body = html`<h1>Error codes</h1>
<p>Rely on <code>code</code> and the status. A retry with the same <code>Idempotency-Key</code> has no second effect.
<a href="${base}/docs">API reference</a></p>
${sections}`;
  return renderAnswerPage(base, { status: 200, title: 'Error codes', body });
}
