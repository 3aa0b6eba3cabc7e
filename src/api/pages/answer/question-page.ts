import type { ActionToConfirm, Question } from '#contract/question';
import { type Html, type HtmlPart, html, joinHtml } from '#infra/html';
import { contextWithoutArguments, formatArguments } from '#presentation/confirmation';
import { formatDuration, formatUtcTime } from '#presentation/format-time';
import { describeTimeoutPolicy, questionSummaryLine } from '#presentation/labels';
import { fieldHeader, renderField, renderLine } from './controls';
import type { LinkHolder } from './link-session';
import { type AnswerPageContent, renderMarkdownHtml, renderQuoted } from './page';
import { COMMENT_FIELD, type FormErrors, renderedFieldState, type SubmittedForm } from './parse-form';
import { DECLINE_FIELD } from './submit-form';

/** The question with a form to answer it. */
export function questionPage(
  guest: LinkHolder,
  form: SubmittedForm,
  faults: FormErrors,
  now: number,
): AnswerPageContent {
  const { question } = guest;
  const isFaulty = Object.keys(faults).length > 0;
  const state = (field: Question['fields'][number]) => ({
    filling: renderedFieldState(form, field),
    fault: faults[field.key],
    now,
  });
  const body = html`${intro(guest)}
${isFaulty && summary(question, faults)}
${deadline(question, now)}
${aboutAgent(question)}
<form method="post" novalidate>
${question.fields.map((field) => renderField(field, state(field)))}
${comment(form, faults[COMMENT_FIELD])}
<button class="send" type="submit" name="send" value="answer">Send answer</button>
<details class="decline">
<summary>I won’t answer</summary>
<p>The agent is told so, with your comment as the reason if you wrote one, and goes on without an answer.</p>
<button type="submit" name="${DECLINE_FIELD.name}" value="${DECLINE_FIELD.value}">Decline this question</button>
</details>
</form>
${footer(guest)}`;
  const title = `${isFaulty ? 'Error: ' : ''}${questionSummaryLine(question)}`;
  return { status: isFaulty ? 400 : 200, title, body: questionCard(question, body) };
}

/** What lets something happen on a "yes" looks it. */
export function questionCard({ confirms, status }: Question, body: Html): Html {
  return html`<article class="card${confirms && status === 'pending' && ' grave'}">
${body}
</article>`;
}

function intro({ question, title }: LinkHolder): Html {
  return html`${askedByLine(question, question.confirms ? 'asks you to confirm' : 'asks you')}
<h1 dir="auto">${title}</h1>`;
}

export function askedByLine({ origin }: Question, does: string): Html {
  return html`<p class="from"><strong>${joinHtml(' › ', origin.map(renderQuoted))}</strong> ${does}</p>`;
}

/** Why it is asked, and what a "yes" would do. */
export function aboutAgent({ context, confirms }: Question): HtmlPart {
  const told = contextWithoutArguments(context, confirms);
  return [
    told && html`<div class="context" dir="auto">${renderMarkdownHtml(told)}</div>\n`,
    confirms && action(confirms),
  ];
}

function action({ tool, arguments: given }: ActionToConfirm): HtmlPart {
  if (tool === null && given === null) return null;
  const what =
    tool === null
      ? 'With exactly these arguments:'
      : html`A “yes” runs <code>${renderQuoted(tool)}</code> with exactly these arguments:`;
  return html`<div class="action">
<p>${what}</p>
<pre dir="ltr"><code>${formatArguments(given)}</code></pre>
</div>`;
}

function deadline(question: Question, now: number): Html {
  const { expiresAt } = question;
  if (expiresAt === null) return html`<p class="deadline">It waits until somebody answers.</p>`;
  return html`<p class="deadline"><strong>Answer within ${formatDuration(Date.parse(expiresAt) - now)}</strong>, by
<time datetime="${expiresAt}">${formatUtcTime(expiresAt)}</time>. ${describeTimeoutPolicy(question)}</p>`;
}

/** Everything that is wrong, each leading to where it is. */
function summary({ fields }: Question, faults: FormErrors): Html {
  const named = fields.flatMap((field) => {
    const fault = faults[field.key];
    return fault ? [{ key: field.key, name: fieldHeader(field) || field.question, fault }] : [];
  });
  const all = [
    ...named,
    ...(faults[COMMENT_FIELD] ? [{ key: COMMENT_FIELD, name: 'Comment', fault: faults[COMMENT_FIELD] }] : []),
  ];
  return html`<div class="summary" role="alert">
<h2>Nothing was sent yet</h2>
<ul>
${all.map(({ key, name, fault }) => html`<li><a href="#${key}">${renderQuoted(name)}</a>: ${renderQuoted(fault)}</li>`)}
</ul>
</div>`;
}

function comment(form: SubmittedForm, fault: string | undefined): Html {
  return html`<div class="field${fault && ' wrong'}">
<label class="question" for="${COMMENT_FIELD}">Comment <span class="optional">(optional)</span></label>
${fault && html`<p class="fault" id="${COMMENT_FIELD}-fault"><span class="unseen">Error: </span>${fault}</p>`}
<textarea id="${COMMENT_FIELD}" name="${COMMENT_FIELD}" rows="2" dir="auto"${fault && html` aria-invalid="true" aria-describedby="${COMMENT_FIELD}-fault"`}>${renderLine(form.comment)}</textarea>
</div>`;
}

function footer({ person }: LinkHolder): Html {
  return html`<p class="footer">This link is for ${renderQuoted(person)}. Whoever has it can answer in that name, so do not pass it on.</p>`;
}
