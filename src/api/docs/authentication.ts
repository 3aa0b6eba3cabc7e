import { Scope } from '#contract/permissions';
import { allowedOf } from './access';
import { panel, shell } from './code';
import { type Call, callsOf, type Document, urlOf } from './document';
import { guide } from './guide';
import { type Html, html, prose } from './html';
import { callLink } from './link';

/** How to say who you are, and what each scope opens. */
export function authentication(document: Document): Html {
  return guide(
    'authentication',
    'Authentication',
    html`<p>A request says who it is from in one of these ways.</p>
${waysTable(document)}
<h3 id="scopes">Scopes</h3>
<p>A call that names two scopes is content with either. A key that lacks them is told
<a href="#error-forbidden"><code>forbidden</code></a>; a conversation it may not see is not found.</p>
${scopesTable(callsOf(document))}`,
    [panel('With a key', shell(WITH_KEY(urlOf(document))))],
  );
}

const WITH_KEY = (url: string) =>
  `export PARLEY_KEY=parley_…\n\ncurl ${url}/v1/session \\\n  -H "Authorization: Bearer $PARLEY_KEY"`;

function waysTable({ components }: Document): Html {
  const rows = Object.values(components.securitySchemes).map(({ scheme, in: place, name, description }) => {
    const way = scheme
      ? html`<code>Authorization: Bearer</code>`
      : html`<code>${name}</code> <span class="mark">${place}</span>`;
    return html`<tr><th scope="row">${way}</th><td>${prose(description)}</td></tr>`;
  });
  return html`<table class="fields"><colgroup><col class="name"><col></colgroup><thead class="unseen"><tr><th scope="col">Where</th><th scope="col">What it is</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function scopesTable(calls: readonly Call[]): Html {
  const scopes = Scope.options.map((scope) => ({
    name: html`<code>${scope}</code>`,
    calls: calls.filter((call) => allowedOf(call)?.includes(scope)),
  }));
  const any = { name: html`any key`, calls: calls.filter((call) => allowedOf(call)?.length === 0) };
  const none = { name: html`no key`, calls: calls.filter((call) => allowedOf(call) === 'anybody') };
  return html`<table class="plain scopes"><thead><tr><th scope="col">Scope</th><th scope="col">Opens</th></tr></thead>
<tbody>${[...scopes, any, none].map(
    ({ name, calls: opened }) =>
      html`<tr><th scope="row">${name}</th><td>${opened.length > 0 ? html`<ul class="calls">${opened.map((call) => html`<li>${callLink(call)}</li>`)}</ul>` : 'Everything, and every conversation.'}</td></tr>`,
  )}</tbody></table>`;
}
