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
        'Link not valid',
        'It may be incomplete or expired. Copy the full link, or ask for a new one.',
      );
    case 'revoked':
      return renderNote(
        410,
        'This link was revoked',
        'It no longer works. If you still need to answer, ask for a new one.',
      );
    case 'forbidden':
      return renderNote(
        403,
        "You can't answer this question",
        html`${renderQuoted(session.person)} doesn't have permission. Ask the person who sent you the link.`,
      );
  }
}

const RESEND_TEXT = 'Send it again; it only counts once.';

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

const OUTCOME_UNKNOWN: [title: string, text: string] = ['Send it again', "We're not sure your answer arrived."];

function textFor(code: ProblemCode): [title: string, text: string] {
  switch (code) {
    case 'temporal_unavailable':
      return ['Try again in a moment', 'Parley is temporarily unavailable. Nothing was accepted.'];
    case 'worker_unavailable':
      return ['Try again in a moment', "Parley can't load this question right now. Nothing was changed."];
    case 'rate_limited':
      return ['Too many requests', 'Nothing was accepted. Wait a second, then reload this page.'];
    case 'too_large':
      return ['Answer too long', 'Nothing was accepted. Go back and shorten it (32 KB max, including the comment).'];
    case 'unsupported_media_type':
      return ['Invalid request', 'Nothing was accepted. Use the form on this page.'];
    case 'method_not_allowed':
      return ['Invalid request', 'Open the link and use the form.'];
    case 'internal':
      return ['Something went wrong', 'Try again in a moment. If it fails again, contact your administrator.'];
    default:
      return ['Invalid link', 'Nothing was accepted. Copy the full link and open it again.'];
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
