import { PROBLEMS } from '#contract/problem';
import { type Call, contentOf, type Reply } from './document';
import { between, type Html, html, type Part, prose } from './html';
import { anchorOf } from './link';
import { typeOf } from './type';

export function statusBadge(status: string | number): Html {
  return html`<span class="status s${String(status)[0]}">${status}</span>`;
}

/** What comes back when all is well. */
export function repliesTable({ responses }: Call): Html {
  const rows = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return html`<table class="plain replies"><thead class="unseen"><tr><th scope="col">Status</th><th scope="col">What it means</th></tr></thead>
<tbody>${rows.map(([status, reply]) => html`<tr><th scope="row">${statusBadge(status)}</th><td>${prose(reply.description)}${bodyOf(reply)}${headersOf(reply)}</td></tr>`)}</tbody></table>`;
}

function bodyOf({ content }: Reply): Part {
  const media = contentOf(content);
  return media && html` <span class="type">${typeOf(media.schema)}</span>`;
}

/** Every reply has an X-Request-Id: that is said once, at the top. */
function headersOf({ headers = {} }: Reply): Part {
  const names = Object.keys(headers).filter((name) => name !== 'X-Request-Id');
  const listed = between(
    ', ',
    names.map((name) => html`<code>${name}</code>`),
  );
  return names.length > 0 && html`<p class="note">With ${listed}</p>`;
}

/** What may go wrong, folded away under its statuses. */
export function problemDetails({ responses }: Call): Part {
  const problems = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  if (problems.length === 0) return undefined;
  return html`<details class="problems"><summary><span>Errors</span><span class="statuses">${problems.map(([status]) => statusBadge(status))}</span></summary>
<table class="plain"><thead class="unseen"><tr><th scope="col">Status</th><th scope="col">Code and meaning</th></tr></thead>
<tbody>${problems.map(([status, reply]) => html`<tr><th scope="row">${statusBadge(status)}</th><td>${lines(reply.description)}${headersOf(reply)}</td></tr>`)}</tbody></table></details>`;
}

/** A description names one code after the other: one a line, with a link to where each is explained. */
function lines(description: string): Part {
  return description.split(/(?<=\.) (?=`)/).map((line) => {
    const [, code = '', meaning = ''] = /^`(\w+)`: (.*)$/s.exec(line) ?? [];
    if (!Object.hasOwn(PROBLEMS, code)) return html`<p>${prose(line)}</p>`;
    return html`<p><a href="#${anchorOf.problem(code)}"><code>${code}</code></a> ${prose(meaning)}</p>`;
  });
}
