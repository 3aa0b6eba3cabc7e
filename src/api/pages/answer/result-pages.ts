import type { AnswerSubmission } from '#api/services/submit-answer';
import type { AnswerValue, Question, QuestionField } from '#contract/question';
import { type Html, type HtmlPart, html } from '#infra/html';
import { formatUtcTime } from '#presentation/format-time';
import { describeOutcome, formatAnswerValue, questionSummaryLine } from '#presentation/labels';
import type { LinkHolder } from './link-session';
import { type AnswerPageContent, type BannerTone, renderBanner, renderQuoted } from './page';
import { aboutAgent, askedByLine, questionCard } from './question-page';

/** A question that is settled: what was answered, by whom, how and when. */
export function resolvedPage(guest: LinkHolder): AnswerPageContent {
  const { question } = guest;
  return {
    status: 200,
    title: `${describeOutcome(question)}: ${questionSummaryLine(question)}`,
    body: page(guest, renderBanner(toneOf(question), describeOutcome(question), when(question)), outcome(question)),
  };
}

/** What was sent is what counts. */
export function acceptedPage(guest: LinkHolder, question: Question): AnswerPageContent {
  const isDeclined = question.status === 'declined';
  const title = isDeclined ? 'You declined this question' : 'Thank you. Your answer was taken';
  const next = isDeclined
    ? 'The agent was told, and goes on without an answer.'
    : 'The agent goes on with it. You can close this page.';
  return {
    status: 200,
    title: `${title}: ${questionSummaryLine(question)}`,
    body: page(
      { ...guest, question },
      renderBanner(isDeclined ? 'plain' : 'good', title, next, when(question)),
      outcome(question),
    ),
  };
}

/** Somebody, or the clock, was quicker. */
export function alreadyAnsweredPage(guest: LinkHolder, question: Question): AnswerPageContent {
  const lost = 'What you sent came too late: this changed nothing.';
  return {
    status: 409,
    title: `${describeOutcome(question)}: ${questionSummaryLine(question)}`,
    body: page(
      { ...guest, question },
      renderBanner('warn', describeOutcome(question), lost, when(question)),
      outcome(question),
    ),
  };
}

/** It is too late, and no worker has said yet what became of it. */
export function expiredPage(guest: LinkHolder, isSent: boolean): AnswerPageContent {
  const title = 'The time for this question is over';
  const lost = isSent ? 'What you sent came too late: this changed nothing. ' : '';
  const next =
    'Nobody has looked yet at what came in time, so what became of the question is not known. Open this link again in a while to see.';
  return {
    status: isSent ? 409 : 200,
    title: `${title}: ${questionSummaryLine(guest.question)}`,
    body: page(guest, renderBanner('warn', title, `${lost}${next}`), html``),
  };
}

/** Temporal has it, and no worker has acted on it yet. */
export function queuedPage(
  guest: LinkHolder,
  { answers, comment, reason }: Partial<AnswerSubmission>,
): AnswerPageContent {
  const { question } = guest;
  const isDeclined = answers === undefined;
  const title = isDeclined ? 'Your refusal is kept' : 'Your answer is kept';
  const why =
    'The agent is not at work just now. It hears this as soon as it is, unless somebody else’s came first: you need not send it again. Open this link again to see what came of it.';
  const given = { answers: answers as Record<string, AnswerValue>, comment: comment ?? reason };
  return {
    status: 202,
    title: `${title}: ${questionSummaryLine(question)}`,
    body: page(guest, renderBanner('good', title, why), answerList(question.fields, isDeclined, given)),
  };
}

function page(guest: LinkHolder, head: Html, rest: HtmlPart): Html {
  return html`${head}
${questionCard(
  guest.question,
  html`${askedByLine(guest.question, 'asked')}
<h2 dir="auto">${guest.title}</h2>
${aboutAgent(guest.question)}
${rest}`,
)}`;
}

function toneOf({ status }: Question): BannerTone {
  return status === 'answered' ? 'good' : status === 'timed_out' ? 'warn' : 'plain';
}

function when({ outcome: settled }: Question): HtmlPart {
  return settled && html`<time datetime="${settled.at}">${formatUtcTime(settled.at)}</time>`;
}

function outcome({ fields, status, outcome: settled }: Question): Html {
  return answerList(fields, status === 'declined', settled ?? {});
}

interface Given {
  answers?: Record<string, AnswerValue>;
  comment?: string;
}

function answerList(fields: QuestionField[], isDeclined: boolean, { answers, comment }: Given): Html {
  return html`<dl class="answers">
${fields.map(({ key, question }) => {
  const value = answers?.[key];
  const shown =
    value === undefined ? html`<dd class="none">No answer</dd>` : html`<dd dir="auto">${formatAnswerValue(value)}</dd>`;
  return html`<div><dt dir="auto">${question}</dt>${shown}</div>`;
})}
${comment && html`<div><dt>${isDeclined ? 'Reason' : 'Comment'}</dt><dd dir="auto">${renderQuoted(comment)}</dd></div>`}
</dl>`;
}
