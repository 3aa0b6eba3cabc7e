import type { ActionToConfirm, Question } from '#contract/question';
import { type Html, type HtmlPart, html, joinHtml } from '#infra/html';
import { contextWithoutArguments, formatArguments } from '#presentation/confirmation';
import { formatDuration, formatUtcTime } from '#presentation/format-time';
import { describeTimeoutPolicy, questionSummaryLine } from '#presentation/labels';
import { fieldHeader, renderField, renderLine } from './controls';
import type { LinkHolder } from './link-session';
import { type AnswerPageContent, renderMarkdownHtml, renderQuoted } from './page';
import { COMMENT_FIELD, DECLINE_FIELD, type FormErrors, renderedFieldState, type SubmittedForm } from './parse-form';

/** Renders the question with a form to answer it. */
export function questionPage(
  holder: LinkHolder,
  form: SubmittedForm,
  errors: FormErrors,
  now: number,
): AnswerPageContent {
  const { question } = holder;
  const hasErrors = Object.keys(errors).length > 0;
  const state = (field: Question['fields'][number]) => ({
    input: renderedFieldState(form, field),
    error: errors[field.key],
    now,
  });
  const body = html`${renderIntro(holder)}
${hasErrors && renderErrorSummary(question, errors)}
${renderDeadline(question, now)}
${aboutAgent(question)}
<form method="post" novalidate>
${question.fields.map((field) => renderField(field, state(field)))}
${renderComment(form, errors[COMMENT_FIELD])}
<button class="send" type="submit" name="send" value="answer">Send answer</button>
<details class="decline">
<summary>Skip this question</summary>
<p>The agent will see your comment and continue without an answer.</p>
<button type="submit" name="${DECLINE_FIELD.name}" value="${DECLINE_FIELD.value}">Skip</button>
</details>
</form>
${renderFooter(holder)}`;
  const title = `${hasErrors ? 'Error: ' : ''}${questionSummaryLine(question)}`;
  return { status: hasErrors ? 400 : 200, title, body: questionCard(question, body) };
}

/** Renders the card, marked as dangerous if a "yes" may change or delete things. */
export function questionCard({ confirms, status }: Question, body: Html): Html {
  return html`<article class="card${confirms?.destructive && status === 'pending' && ' grave'}">
${body}
</article>`;
}

function renderIntro({ question, title }: LinkHolder): Html {
  return html`${askedByLine(question, question.confirms ? 'needs your approval' : 'needs your answer')}
<h1 dir="auto">${title}</h1>`;
}

export function askedByLine({ origin }: Question, verb: string): Html {
  return html`<p class="from"><strong>${joinHtml(' › ', origin.map(renderQuoted))}</strong> (AI agent) ${verb}</p>`;
}

/** Renders why the question is asked, and what a "yes" would run. */
export function aboutAgent({ context, confirms }: Question): HtmlPart {
  const markdown = contextWithoutArguments(context, confirms);
  return [
    markdown && html`<div class="context" dir="auto">${renderMarkdownHtml(markdown)}</div>\n`,
    confirms && renderAction(confirms),
  ];
}

function renderAction({ tool, arguments: args }: ActionToConfirm): HtmlPart {
  if (tool === null && args === null) return null;
  const lead =
    tool === null
      ? 'With exactly these arguments:'
      : html`Runs <code>${renderQuoted(tool)}</code> with exactly these arguments:`;
  return html`<div class="action">
<p>${lead}</p>
<pre dir="ltr"><code>${formatArguments(args)}</code></pre>
</div>`;
}

function renderDeadline(question: Question, now: number): Html {
  const { expiresAt } = question;
  if (expiresAt === null) return html`<p class="deadline">No deadline.</p>`;
  return html`<p class="deadline"><strong>Answer within ${formatDuration(Date.parse(expiresAt) - now)}</strong>, by
<time datetime="${expiresAt}">${formatUtcTime(expiresAt)}</time>. ${renderQuoted(describeTimeoutPolicy(question))}</p>`;
}

/** Renders every error with a link to its field. */
function renderErrorSummary({ fields }: Question, errors: FormErrors): Html {
  const fieldErrors = fields.flatMap((field) => {
    const error = errors[field.key];
    return error ? [{ key: field.key, name: fieldHeader(field) || field.question, error }] : [];
  });
  const errorItems = [
    ...fieldErrors,
    ...(errors[COMMENT_FIELD] ? [{ key: COMMENT_FIELD, name: 'Comment', error: errors[COMMENT_FIELD] }] : []),
  ];
  return html`<div class="summary" role="alert">
<h2>Please fix this before sending</h2>
<ul>
${errorItems.map(({ key, name, error }) => html`<li><a href="#${key}">${renderQuoted(name)}</a>: ${renderQuoted(error)}</li>`)}
</ul>
</div>`;
}

function renderComment(form: SubmittedForm, error: string | undefined): Html {
  return html`<div class="field${error && ' wrong'}">
<label class="question" for="${COMMENT_FIELD}">Comment <span class="optional">(optional)</span></label>
${error && html`<p class="error" id="${COMMENT_FIELD}-error"><span class="unseen">Error: </span>${error}</p>`}
<textarea id="${COMMENT_FIELD}" name="${COMMENT_FIELD}" rows="2" dir="auto"${error && html` aria-invalid="true" aria-describedby="${COMMENT_FIELD}-error"`}>${renderLine(form.comment)}</textarea>
</div>`;
}

function renderFooter({ person }: LinkHolder): Html {
  return html`<p class="footer">This link is for ${renderQuoted(person)}. Anyone with this link can answer as you. Don't share it.</p>`;
}
