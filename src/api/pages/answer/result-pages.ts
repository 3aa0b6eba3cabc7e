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
  const notes = [renderResolvedTime(question)];
  return resultPage(holder, 200, toneOf(question), describeOutcome(question), notes, renderOutcome(question));
}

/** Shows that the submission was accepted. */
export function acceptedPage(holder: LinkHolder, question: Question): AnswerPageContent {
  const isDeclined = question.status === 'declined';
  const title = isDeclined ? 'Question skipped' : 'Thanks, answer sent';
  const next = isDeclined ? 'The agent is continuing without an answer.' : 'The agent is continuing.';
  const notes = [next, renderResolvedTime(question)];
  return resultPage({ ...holder, question }, 200, isDeclined ? 'plain' : 'good', title, notes, renderOutcome(question));
}

const TOO_LATE = "Too late: your answer wasn't used.";

/** Shows that the question was resolved before the submission arrived. */
export function alreadyAnsweredPage(holder: LinkHolder, question: Question): AnswerPageContent {
  const notes = [TOO_LATE, renderResolvedTime(question)];
  return resultPage({ ...holder, question }, 409, 'warn', describeOutcome(question), notes, renderOutcome(question));
}

/** Shows that the deadline has passed, while no worker has determined the outcome yet. */
export function expiredPage(holder: LinkHolder, isSent: boolean): AnswerPageContent {
  const notes = [isSent && TOO_LATE, "The result isn't known yet. Check this link again later."];
  return resultPage(holder, isSent ? 409 : 200, 'warn', 'This question has expired', notes);
}

/** Shows that Temporal has the submission, but no worker has processed it yet. */
export function queuedPage(
  holder: LinkHolder,
  { answers, comment, reason }: Partial<AnswerContent>,
): AnswerPageContent {
  const next =
    'The agent is paused and will get this when it resumes, unless someone else answers first. Check this link again later.';
  const submitted = { answers: answers as Record<string, AnswerValue>, comment: comment ?? reason };
  const details = renderAnswerList(holder.question.fields, answers === undefined, submitted);
  return resultPage(holder, 202, 'good', 'Saved', [next], details);
}

function resultPage(
  { question, title }: LinkHolder,
  status: number,
  tone: BannerTone,
  result: string,
  notes: HtmlPart[],
  details?: Html,
): AnswerPageContent {
  const asked = html`${askedByLine(question, 'asked')}
<h2 dir="auto">${title}</h2>
${aboutAgent(question)}
${details}`;
  const body = html`${renderBanner(tone, result, ...notes)}
${questionCard(question, asked)}`;
  return { status, title: `${result}: ${questionSummaryLine(question)}`, body };
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
