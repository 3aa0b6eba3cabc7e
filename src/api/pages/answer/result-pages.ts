import type { AnswerContent } from '#api/services/submit-answer';
import type { AnswerValue, Question, QuestionField } from '#contract/question';
import { type Html, type HtmlPart, html } from '#infra/html';
import { formatUtcTime } from '#presentation/format-time';
import { describeOutcome, formatAnswerValue, questionSummaryLine } from '#presentation/labels';
import type { LinkHolder } from './link-session';
import { type AnswerPageContent, type BannerTone, renderBanner, renderQuoted } from './page';
import { aboutAgent, askedByLine, questionCard } from './question-page';

/** Shows a resolved question: what was answered, by whom, how and when. */
export function resolvedPage(holder: LinkHolder): AnswerPageContent {
  const { question } = holder;
  return {
    status: 200,
    title: `${describeOutcome(question)}: ${questionSummaryLine(question)}`,
    body: renderPageBody(
      holder,
      renderBanner(toneOf(question), describeOutcome(question), renderResolvedTime(question)),
      renderOutcome(question),
    ),
  };
}

/** Shows that the submission was accepted. */
export function acceptedPage(holder: LinkHolder, question: Question): AnswerPageContent {
  const isDeclined = question.status === 'declined';
  const title = isDeclined ? 'Question skipped' : 'Thanks, answer sent';
  const next = isDeclined ? 'The agent is continuing without an answer.' : 'The agent is continuing.';
  return {
    status: 200,
    title: `${title}: ${questionSummaryLine(question)}`,
    body: renderPageBody(
      { ...holder, question },
      renderBanner(isDeclined ? 'plain' : 'good', title, next, renderResolvedTime(question)),
      renderOutcome(question),
    ),
  };
}

const TOO_LATE = "Too late: your answer wasn't used.";

/** Shows that the question was resolved before the submission arrived. */
export function alreadyAnsweredPage(holder: LinkHolder, question: Question): AnswerPageContent {
  return {
    status: 409,
    title: `${describeOutcome(question)}: ${questionSummaryLine(question)}`,
    body: renderPageBody(
      { ...holder, question },
      renderBanner('warn', describeOutcome(question), TOO_LATE, renderResolvedTime(question)),
      renderOutcome(question),
    ),
  };
}

/** Shows that the deadline has passed, while no worker has determined the outcome yet. */
export function expiredPage(holder: LinkHolder, isSent: boolean): AnswerPageContent {
  const title = 'This question has expired';
  const next = "The result isn't known yet. Check this link again later.";
  return {
    status: isSent ? 409 : 200,
    title: `${title}: ${questionSummaryLine(holder.question)}`,
    body: renderPageBody(holder, renderBanner('warn', title, isSent && TOO_LATE, next), html``),
  };
}

/** Shows that Temporal has the submission, but no worker has processed it yet. */
export function queuedPage(
  holder: LinkHolder,
  { answers, comment, reason }: Partial<AnswerContent>,
): AnswerPageContent {
  const { question } = holder;
  const isDeclined = answers === undefined;
  const title = 'Saved';
  const next =
    'The agent is paused and will get this when it resumes, unless someone else answers first. Check this link again later.';
  const submitted = { answers: answers as Record<string, AnswerValue>, comment: comment ?? reason };
  return {
    status: 202,
    title: `${title}: ${questionSummaryLine(question)}`,
    body: renderPageBody(
      holder,
      renderBanner('good', title, next),
      renderAnswerList(question.fields, isDeclined, submitted),
    ),
  };
}

function renderPageBody(holder: LinkHolder, banner: Html, details: HtmlPart): Html {
  return html`${banner}
${questionCard(
  holder.question,
  html`${askedByLine(holder.question, 'asked')}
<h2 dir="auto">${holder.title}</h2>
${aboutAgent(holder.question)}
${details}`,
)}`;
}

function toneOf({ status }: Question): BannerTone {
  return status === 'answered' ? 'good' : status === 'timed_out' ? 'warn' : 'plain';
}

function renderResolvedTime({ outcome }: Question): HtmlPart {
  return outcome && html`<time datetime="${outcome.at}">${formatUtcTime(outcome.at)}</time>`;
}

function renderOutcome({ fields, status, outcome }: Question): Html {
  return renderAnswerList(fields, status === 'declined', outcome ?? {});
}

interface SubmittedAnswer {
  answers?: Record<string, AnswerValue>;
  comment?: string;
}

function renderAnswerList(fields: QuestionField[], isDeclined: boolean, { answers, comment }: SubmittedAnswer): Html {
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
