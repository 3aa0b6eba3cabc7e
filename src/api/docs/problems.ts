import { exampleQuestion } from '#contract/operations/examples';
import { PROBLEMS } from '#contract/problem';
import { validateAnswer } from '#core/questions/validate-answer';
import { example, panel } from './code';
import { guide } from './guide';
import { type Html, html } from './html';
import { anchorOf } from './link';
import { statusBadge } from './replies';

/** How refusals look, and every code there is. */
export function problems(): Html {
  return guide(
    'errors',
    'Errors',
    html`<p>What goes wrong is told as <code>application/problem+json</code> (RFC 9457), always in the shape
of <a href="#schema-Problem">Problem</a>. Go by <code>code</code>: it is stable. <code>detail</code> is for
people. Where a request has faults, <code>errors</code> names all of them at once, each with its
<code>path</code> and, where there are only so many, what is <code>allowed</code>.</p>
<p>Too late to answer is a <code>409</code> that carries the <code>question</code> with the outcome that
stands. After <code>429</code> and <code>503</code>, <code>Retry-After</code> says how many seconds to
wait.</p>
${table()}`,
    panel(html`${statusBadge(400)}<span>application/problem+json</span>`, example(misspelt())),
  );
}

function table(): Html {
  const rows = Object.entries(PROBLEMS).sort(([, [one]], [, [other]]) => one - other);
  return html`<table class="plain codes"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map(([code, [status, title]]) => html`<tr id="${anchorOf.problem(code)}"><td>${statusBadge(status)}</td><th scope="row"><code>${code}</code></th><td>${title}</td></tr>`)}</tbody></table>`;
}

/** A misspelt label, as it is really refused. */
function misspelt(): object {
  const code = 'invalid_answer';
  const [status, title] = PROBLEMS[code];
  const checked = validateAnswer(exampleQuestion, { answer: 'Seeside' });
  const errors = checked.ok ? [] : checked.faults;
  const detail = 'The answer was not taken, and the question is still open. …';
  return { type: `urn:parley:problem:${code}`, title, status, code, detail, errors };
}
