import type { AnswerContent } from '#api/services/submit-answer';
import type { AnswerValue, Question } from '#contract/question';
import { type Html, type HtmlPart, html } from '#infra/html';
import { formatUtcTime } from '#presentation/format-time';
import { describeOutcome, formatAnswerValue, questionSummaryLine } from '#presentation/labels';
import type { LinkHolder } from './link-session';
import { type AnswerPageContent, type BannerTone, renderBanner, renderQuoted } from './page';
import { aboutAgent, askedByLine, questionCard } from './question-page';

/** Shows a resolved question: what was answered, by whom, how and when. */
export function resolvedPage(holder: LinkHolder): AnswerPageContent {
  const { question } = holder;
  const banner = { status: 200, tone: toneOf(question), title: describeOutcome(question) };
  return resultPage(holder, { ...banner, notes: [renderResolvedTime(question)], details: renderOutcome(question) });
}

export function acceptedPage(holder: LinkHolder, question: Question): AnswerPageContent {
  const banner =
    question.status === 'declined'
      ? { tone: 'plain' as const, title: 'Question skipped', next: 'The agent is continuing without an answer.' }
      : { tone: 'good' as const, title: 'Thanks, answer sent', next: 'The agent is continuing.' };
  const notes = [banner.next, renderResolvedTime(question)];
  return resultPage({ ...holder, question }, { ...banner, status: 200, notes, details: renderOutcome(question) });
}

const TOO_LATE = "Too late: your answer wasn't used.";

/** Shows that the question was resolved before the submission arrived. */
export function alreadyAnsweredPage(holder: LinkHolder, question: Question): AnswerPageContent {
  const banner = { status: 409, tone: 'warn' as const, title: describeOutcome(question) };
  const notes = [TOO_LATE, renderResolvedTime(question)];
  return resultPage({ ...holder, question }, { ...banner, notes, details: renderOutcome(question) });
}

/** Shows that the deadline has passed, while no worker has determined the outcome yet. */
export function expiredPage(holder: LinkHolder, isSent: boolean): AnswerPageContent {
  const banner = { status: isSent ? 409 : 200, tone: 'warn' as const, title: 'This question has expired' };
  const notes = [isSent && TOO_LATE, "The result isn't known yet. Check this link again later."];
  return resultPage(holder, { ...banner, notes });
}

/** Shows that Temporal has the submission, but no worker has processed it yet. */
export function queuedPage(holder: LinkHolder, { answers, comment, reason }: Partial<AnswerContent>) {
  const note =
    'The agent is paused and will get this when it resumes, unless someone else answers first. Check this link again later.';
  const submitted = { answers: answers as Record<string, AnswerValue>, comment: comment ?? reason };
  const details = renderAnswerList(holder.question, answers === undefined, submitted);
  return resultPage(holder, { status: 202, tone: 'good', title: 'Saved', notes: [note], details });
}

interface QuestionResult {
  status: number;
  tone: BannerTone;
  title: string;
  notes: HtmlPart[];
  details?: Html;
}

function resultPage(
  { question, title: conversationTitle }: LinkHolder,
  { status, tone, title, notes, details }: QuestionResult,
): AnswerPageContent {
  const card = questionCard(
    question,
    html`${askedByLine(question, 'asked')}
<h2 dir="auto">${conversationTitle}</h2>
${aboutAgent(question)}
${details}`,
  );
  const body = html`${renderBanner(tone, title, ...notes)}\n${card}`;
  return { status, title: `${title}: ${questionSummaryLine(question)}`, body };
}

function toneOf({ status }: Question): BannerTone {
  return status === 'answered' ? 'good' : status === 'timed_out' ? 'warn' : 'plain';
}

function renderResolvedTime({ outcome }: Question): HtmlPart {
  return outcome && html`<time datetime="${outcome.at}">${formatUtcTime(outcome.at)}</time>`;
}

function renderOutcome(question: Question): Html {
  return renderAnswerList(question, question.status === 'declined', question.outcome ?? {});
}

interface SubmittedAnswer {
  answers?: Record<string, AnswerValue>;
  comment?: string;
}

function renderAnswerList({ fields }: Question, isDeclined: boolean, { answers, comment }: SubmittedAnswer): Html {
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
