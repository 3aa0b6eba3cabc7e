import { authentication } from './authentication';
import { callsTagged, type Document, urlOf } from './document';
import { Html, html } from './html';
import { anchorOf, callLink, hash } from './link';
import { liveEvents } from './live';
import { bar, ICON, navigation } from './navigation';
import { operationSection } from './operation';
import { problems } from './problems';
import { idempotency } from './repeating';
import { schemaSections } from './schema';
import { introduction, quickStart } from './start';
import { STYLE } from './style/style';

/** An OpenAPI document as one page for people: no script, and nothing loaded from elsewhere. */
export function renderDocs(openApi: Record<string, unknown>): string {
  const document = openApi as unknown as Document;
  const { title, summary } = document.info;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title} API reference</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="description" content="${summary}"><link rel="icon" href="${ICON}"><style>${new Html(STYLE)}</style></head>
<body><a class="skip" href="#main">Skip to the content</a>
${bar(document)}
${navigation(document)}
<main id="main" tabindex="-1">
${introduction(document)}
${quickStart(document)}
${authentication(document)}
${problems()}
${idempotency(document)}
${liveEvents(document)}
${document.tags.map(({ name, description }) => tagSection(document, name, description))}
${schemaSections(document.components.schemas)}
</main></body></html>
`.toString();
}

/** The calls about one noun, with a list of them first. */
function tagSection(document: Document, name: string, description: string): Html {
  const id = anchorOf.tag(name);
  const calls = callsTagged(document, name);
  return html`<section aria-labelledby="${id}"><div class="row tag"><div class="text">
<h2 id="${id}">${name} ${hash(id, name)}</h2><p class="lead">${description}</p></div>
<div class="side"><ul class="calls card">${calls.map((call) => html`<li>${callLink(call)}</li>`)}</ul></div></div>
${calls.map((call) => operationSection(urlOf(document), call))}</section>
`;
}
