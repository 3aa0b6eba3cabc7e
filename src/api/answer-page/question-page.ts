import { between, type Html, html, type Part } from '#api/docs/html';
import type { ActionToConfirm, Question } from '#contract/question';
import { contextWithoutArguments, formatArguments } from '#presentation/confirmation';
import { formatDuration, formatUtcTime } from '#presentation/format-time';
import { describeTimeoutPolicy, questionSummaryLine } from '#presentation/labels';
import { fieldOf, line } from './field';
import { COMMENT, type Form, fillingIn } from './filling';
import { rendered } from './markdown';
import { type Shown, said } from './page';
import type { Faults } from './reading-form';
import { DECLINE } from './sending';
import type { Guest } from './visit';
import { headerOf } from './words';

/** The question with a form to answer it. */
export function questionPage(guest: Guest, form: Form, faults: Faults, now: number): Shown {
  const { question } = guest;
  const isFaulty = Object.keys(faults).length > 0;
  const state = (field: Question['fields'][number]) => ({
    filling: fillingIn(form, field),
    fault: faults[field.key],
    now,
  });
  const body = html`${intro(guest)}
${isFaulty && summary(question, faults)}
${deadline(question, now)}
${about(question)}
<form method="post" novalidate>
${question.fields.map((field) => fieldOf(field, state(field)))}
${comment(form, faults[COMMENT])}
<button class="send" type="submit" name="send" value="answer">Send answer</button>
<details class="decline">
<summary>I won’t answer</summary>
<p>The agent is told so, with your comment as the reason if you wrote one, and goes on without an answer.</p>
<button type="submit" name="${DECLINE.name}" value="${DECLINE.value}">Decline this question</button>
</details>
</form>
${footer(guest)}`;
  const title = `${isFaulty ? 'Error: ' : ''}${questionSummaryLine(question)}`;
  return { status: isFaulty ? 400 : 200, title, body: card(question, body) };
}

/** What lets something happen on a "yes" looks it. */
export function card({ confirms, status }: Question, body: Html): Html {
  return html`<article class="card${confirms && status === 'pending' && ' grave'}">
${body}
</article>`;
}

function intro({ question, title }: Guest): Html {
  return html`${from(question, question.confirms ? 'asks you to confirm' : 'asks you')}
<h1 dir="auto">${title}</h1>`;
}

export function from({ origin }: Question, does: string): Html {
  return html`<p class="from"><strong>${between(' › ', origin.map(said))}</strong> ${does}</p>`;
}

/** Why it is asked, and what a "yes" would do. */
export function about({ context, confirms }: Question): Part {
  const told = contextWithoutArguments(context, confirms);
  return [told && html`<div class="context" dir="auto">${rendered(told)}</div>\n`, confirms && action(confirms)];
}

function action({ tool, arguments: given }: ActionToConfirm): Part {
  if (tool === null && given === null) return null;
  const what =
    tool === null
      ? 'With exactly these arguments:'
      : html`A “yes” runs <code>${said(tool)}</code> with exactly these arguments:`;
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
function summary({ fields }: Question, faults: Faults): Html {
  const named = fields.flatMap((field) => {
    const fault = faults[field.key];
    return fault ? [{ key: field.key, name: headerOf(field) || field.question, fault }] : [];
  });
  const all = [...named, ...(faults[COMMENT] ? [{ key: COMMENT, name: 'Comment', fault: faults[COMMENT] }] : [])];
  return html`<div class="summary" role="alert">
<h2>Nothing was sent yet</h2>
<ul>
${all.map(({ key, name, fault }) => html`<li><a href="#${key}">${said(name)}</a>: ${said(fault)}</li>`)}
</ul>
</div>`;
}

function comment(form: Form, fault: string | undefined): Html {
  return html`<div class="field${fault && ' wrong'}">
<label class="question" for="${COMMENT}">Comment <span class="optional">(optional)</span></label>
${fault && html`<p class="fault" id="${COMMENT}-fault"><span class="unseen">Error: </span>${fault}</p>`}
<textarea id="${COMMENT}" name="${COMMENT}" rows="2" dir="auto"${fault && html` aria-invalid="true" aria-describedby="${COMMENT}-fault"`}>${line(form.comment)}</textarea>
</div>`;
}

function footer({ person }: Guest): Html {
  return html`<p class="footer">This link is for ${said(person)}. Whoever has it can answer in that name, so do not pass it on.</p>`;
}
