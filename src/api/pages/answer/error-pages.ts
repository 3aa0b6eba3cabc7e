import type { ApiError } from '#api/middleware/errors';
import { PROBLEMS, type ProblemCode } from '#contract/problem';
import { type Html, type HtmlPart, html } from '#infra/html';
import type { LinkSession } from './link-session';
import { type AnswerPageContent, renderBanner, renderQuoted } from './page';

type DeniedSession = Extract<LinkSession, { isAllowed: false }>;

export function errorPage(session: DeniedSession): AnswerPageContent {
  switch (session.reason) {
    case 'unknown': {
      const text = 'It may be incomplete or expired. Copy the full link, or ask for a new one.';
      return renderNote(404, 'Link not valid', text);
    }
    case 'revoked': {
      const text = 'It no longer works. If you still need to answer, ask for a new one.';
      return renderNote(410, 'This link was revoked', text);
    }
    case 'forbidden': {
      const text = html`${renderQuoted(session.person)} doesn't have permission. Ask the person who sent you the link.`;
      return renderNote(403, "You can't answer this question", text);
    }
  }
}

const RESEND_TEXT = 'Send it again; it only counts once.';

/**
 * Returns an error page for a reader who does not know Parley. It contains the submitted form, so that they can send it
 * again.
 */
export function unavailablePage({ code }: ApiError, submitted: URLSearchParams | undefined): AnswerPageContent {
  const [status] = PROBLEMS[code];
  const [title, text] = ERROR_TEXTS[code] ?? OTHER_ERROR;
  if (!submitted || status < 429) return renderNote(status, title, text);
  return renderNote(status, title, html`${text} ${RESEND_TEXT}`, resendForm(submitted));
}

type ErrorText = [title: string, text: string];

const OTHER_ERROR: ErrorText = ['Invalid link', 'Nothing was accepted. Copy the full link and open it again.'];
const ERROR_TEXTS: Partial<Record<ProblemCode, ErrorText>> = {
  outcome_unknown: ['Send it again', "We're not sure your answer arrived."],
  temporal_unavailable: ['Try again in a moment', 'Parley is temporarily unavailable. Nothing was accepted.'],
  worker_unavailable: ['Try again in a moment', "Parley can't load this question right now. Nothing was changed."],
  rate_limited: ['Too many requests', 'Nothing was accepted. Wait a second, then reload this page.'],
  too_large: ['Answer too long', 'Nothing was accepted. Go back and shorten it (32 KB max, including the comment).'],
  unsupported_media_type: ['Invalid request', 'Nothing was accepted. Use the form on this page.'],
  method_not_allowed: ['Invalid request', 'Open the link and use the form.'],
  internal: ['Something went wrong', 'Try again in a moment. If it fails again, contact your administrator.'],
};

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
