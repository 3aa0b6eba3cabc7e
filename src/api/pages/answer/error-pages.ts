import type { ApiError } from '#api/middleware/errors';
import { PROBLEMS, type ProblemCode } from '#contract/problem';
import { type Html, type HtmlPart, html } from '#infra/html';
import type { LinkSession } from './link-session';
import { type AnswerPageContent, renderBanner, renderQuoted } from './page';

type DeniedSession = Extract<LinkSession, { isAllowed: false }>;

export function errorPage(session: DeniedSession): AnswerPageContent {
  switch (session.reason) {
    case 'unknown':
      return renderNote(
        404,
        'This link leads nowhere',
        'It may have been cut off on its way to you, or be too old. Open it again from where you got it, whole, or ask for a new one.',
      );
    case 'revoked':
      return renderNote(
        410,
        'This link was taken back',
        'It can no longer be used. If you should answer after all, ask whoever sent it to you.',
      );
    case 'forbidden':
      return renderNote(
        403,
        'This is not yours to answer',
        html`${renderQuoted(session.person)} is not among those who may answer this question. Ask whoever sent you the link.`,
      );
  }
}

const RESEND_TEXT = 'Send it again in a moment: it counts once, however often it is sent.';

/**
 * Returns an error page for a reader who does not know Parley. It contains the submitted form, so that they can send it
 * again.
 */
export function unavailablePage(
  { code, extensions }: ApiError,
  submitted: URLSearchParams | undefined,
): AnswerPageContent {
  const [status] = PROBLEMS[code];
  const [title, text] = extensions.isOutcomeUnknown ? OUTCOME_UNKNOWN : textFor(code);
  if (!submitted || status < 429) return renderNote(status, title, text);
  return renderNote(status, title, html`${text} ${RESEND_TEXT}`, resendForm(submitted));
}

const OUTCOME_UNKNOWN: [title: string, text: string] = [
  'Send it once more',
  'What Parley runs on did not answer in time, so what you sent may have been taken, or not.',
];

function textFor(code: ProblemCode): [title: string, text: string] {
  switch (code) {
    case 'temporal_unavailable':
      return ['Try again in a moment', 'Parley cannot reach what it runs on just now, so nothing was accepted.'];
    case 'worker_unavailable':
      return ['Try again in a moment', 'Parley cannot look this question up just now. Nothing was changed.'];
    case 'rate_limited':
      return ['Too many requests', 'Wait a second, then load this page again. Nothing was accepted.'];
    case 'too_large':
      return [
        'That is too much',
        'An answer with its comment is at most 32 KB, and nothing was accepted. Go back and shorten it.',
      ];
    case 'unsupported_media_type':
      return ['That is not a form', 'Nothing was accepted. Answer with the form on this page.'];
    case 'method_not_allowed':
      return ['That cannot be done here', 'Open the link, and answer with the form.'];
    case 'internal':
      return [
        'Something went wrong',
        'Parley failed on this. Whoever runs it finds why in its log. Try again in a moment.',
      ];
    default:
      return ['That cannot be read', 'Nothing was accepted. Open the link again from where you got it.'];
  }
}

/** Renders the submitted values as hidden inputs: the question cannot be shown, but the reader need not type again. */
function resendForm(submitted: URLSearchParams): Html {
  return html`<form method="post">
${[...submitted].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="send" type="submit">Send again</button>
</form>`;
}

function renderNote(status: number, title: string, text: HtmlPart, more?: Html): AnswerPageContent {
  return { status, title, body: html`${renderBanner(status >= 429 ? 'danger' : 'warn', title, text)}\n${more}` };
}
