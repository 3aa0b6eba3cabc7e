import { PROBLEMS } from '#contract/problem';
import { type Html, type HtmlPart, html, joinHtml, renderParagraphs, renderProse } from '#infra/html';
import { anchorFor, anchorHash, methodBadge, renderExample, renderPanel, renderShell } from './components';
import { curlCommand, repeatableRequest } from './curl';
import { type DocsOperation, type DocsParameter, type DocsReply, renderAccess, replyContent } from './openapi-document';
import { renderFieldsTable, renderParametersTable, schemaType } from './schema';

/** One call: what it does and takes on the left, how it looks on the right. */
export function operationSection(url: string, operation: DocsOperation): Html {
  const { operationId, method, path, summary, description } = operation;
  return html`<section class="row call" id="${operationId}" aria-labelledby="${operationId}-title"><div class="text">
<h3 id="${operationId}-title">${summary} ${anchorHash(operationId, summary)}</h3>
<p class="route">${methodBadge(method)}<code>${withLineBreaks(path)}</code></p>
${renderParagraphs(description)}
${renderAccess(operation)}
${renderParameterTables(operation.parameters)}
${renderBodyTable(operation)}
<h4>Replies</h4>${renderReplies(operation)}
${renderProblemDetails(operation)}
</div><div class="side">${renderPanels(url, operation)}</div></section>
`;
}

const PARAMETER_GROUPS = { path: 'Path', query: 'Query', header: 'Headers' };

function renderParameterTables(parameters: readonly DocsParameter[]): HtmlPart {
  return Object.entries(PARAMETER_GROUPS).map(([location, title]) => {
    const group = parameters.filter((parameter) => parameter.in === location);
    return group.length > 0 && html`<h4>${title}</h4>${renderParametersTable(group)}`;
  });
}

function renderBodyTable({ requestBody }: DocsOperation): HtmlPart {
  const schema = replyContent(requestBody?.content)?.schema;
  if (!schema) return undefined;
  const note = requestBody?.required === false && html` <span class="note">may be left out</span>`;
  const fields = schema.properties
    ? renderFieldsTable(schema)
    : html`<p><span class="type">${schemaType(schema)}</span></p>`;
  return html`<h4>Body${note}</h4>${fields}`;
}

function renderPanels(url: string, operation: DocsOperation): HtmlPart {
  const { method, path, responses } = operation;
  const request = curlCommand(url, operation, { headers: repeatableRequest(operation) });
  const shown = Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .reverse();
  return [
    renderPanel(html`${methodBadge(method)}<span>${path}</span>`, renderShell(request)),
    shown.map(([status, { content }]) => {
      const media = replyContent(content);
      return (
        media?.example !== undefined &&
        renderPanel(html`${renderStatusBadge(status)}<span>${media.type}</span>`, renderExample(media.example))
      );
    }),
  ];
}

/** A long path breaks before a slash. */
function withLineBreaks(path: string): HtmlPart {
  return path.split(/(?=\/)/).map((part) => [html`<wbr>`, part]);
}

export function renderStatusBadge(status: string | number): Html {
  return html`<span class="status s${String(status)[0]}">${status}</span>`;
}

/** What comes back when all is well. */
function renderReplies({ responses }: DocsOperation): Html {
  const rows = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return html`<table class="plain replies"><thead class="unseen"><tr><th scope="col">Status</th><th scope="col">What it means</th></tr></thead>
<tbody>${rows.map(([status, reply]) => html`<tr><th scope="row">${renderStatusBadge(status)}</th><td>${renderProse(reply.description)}${renderBodyType(reply)}${renderHeaders(reply)}</td></tr>`)}</tbody></table>`;
}

function renderBodyType({ content }: DocsReply): HtmlPart {
  const media = replyContent(content);
  return media && html` <span class="type">${schemaType(media.schema)}</span>`;
}

/** Every reply has an X-Request-Id: that is said once, at the top. */
function renderHeaders({ headers = {} }: DocsReply): HtmlPart {
  const names = Object.keys(headers).filter((name) => name !== 'X-Request-Id');
  const listed = joinHtml(
    ', ',
    names.map((name) => html`<code>${name}</code>`),
  );
  return names.length > 0 && html`<p class="note">With ${listed}</p>`;
}

/** What may go wrong, folded away under its statuses. */
function renderProblemDetails({ responses }: DocsOperation): HtmlPart {
  const problems = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  if (problems.length === 0) return undefined;
  return html`<details class="problems"><summary><span>Errors</span><span class="statuses">${problems.map(([status]) => renderStatusBadge(status))}</span></summary>
<table class="plain"><thead class="unseen"><tr><th scope="col">Status</th><th scope="col">Code and meaning</th></tr></thead>
<tbody>${problems.map(([status, reply]) => html`<tr><th scope="row">${renderStatusBadge(status)}</th><td>${renderProblemLines(reply.description)}${renderHeaders(reply)}</td></tr>`)}</tbody></table></details>`;
}

/** A description names one code after the other: one a line, with a link to where each is explained. */
function renderProblemLines(description: string): HtmlPart {
  return description.split(/(?<=\.) (?=`)/).map((line) => {
    const [, code = '', meaning = ''] = /^`(\w+)`: (.*)$/s.exec(line) ?? [];
    if (!Object.hasOwn(PROBLEMS, code)) return html`<p>${renderProse(line)}</p>`;
    return html`<p><a href="#${anchorFor.problem(code)}"><code>${code}</code></a> ${renderProse(meaning)}</p>`;
  });
}
