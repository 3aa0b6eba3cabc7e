import { accessLine } from './access';
import { example, panel, shell } from './code';
import { curl, repeatable } from './curl';
import { type Call, contentOf, type Parameter } from './document';
import { fieldsTable, parametersTable } from './fields';
import { type Html, html, type Part, paragraphs } from './html';
import { badge, hash } from './link';
import { problemDetails, repliesTable, statusBadge } from './replies';
import { typeOf } from './type';

/** One call: what it does and takes on the left, how it looks on the right. */
export function operationSection(url: string, call: Call): Html {
  const { operationId, method, path, summary, description } = call;
  return html`<section class="row call" id="${operationId}" aria-labelledby="${operationId}-title"><div class="text">
<h3 id="${operationId}-title">${summary} ${hash(operationId, summary)}</h3>
<p class="route">${badge(method)}<code>${breakable(path)}</code></p>
${paragraphs(description)}
${accessLine(call)}
${parameterTables(call.parameters)}
${bodyTable(call)}
<h4>Replies</h4>${repliesTable(call)}
${problemDetails(call)}
</div><div class="side">${panels(url, call)}</div></section>
`;
}

const PLACES = { path: 'Path', query: 'Query', header: 'Headers' };

function parameterTables(parameters: readonly Parameter[]): Part {
  return Object.entries(PLACES).map(([place, title]) => {
    const those = parameters.filter((parameter) => parameter.in === place);
    return those.length > 0 && html`<h4>${title}</h4>${parametersTable(those)}`;
  });
}

function bodyTable({ requestBody }: Call): Part {
  const schema = contentOf(requestBody?.content)?.schema;
  if (!schema) return undefined;
  const note = requestBody?.required === false && html` <span class="note">may be left out</span>`;
  const fields = schema.properties ? fieldsTable(schema) : html`<p><span class="type">${typeOf(schema)}</span></p>`;
  return html`<h4>Body${note}</h4>${fields}`;
}

function panels(url: string, call: Call): Part {
  const { method, path, responses } = call;
  const request = curl(url, call, { headers: repeatable(call) });
  const shown = Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .reverse();
  return [
    panel(html`${badge(method)}<span>${path}</span>`, shell(request)),
    shown.map(([status, { content }]) => {
      const media = contentOf(content);
      return (
        media?.example !== undefined &&
        panel(html`${statusBadge(status)}<span>${media.type}</span>`, example(media.example))
      );
    }),
  ];
}

/** A long path breaks before a slash. */
function breakable(path: string): Part {
  return path.split(/(?=\/)/).map((part) => [html`<wbr>`, part]);
}
