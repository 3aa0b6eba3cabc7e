import { Html, type HtmlPart, html } from '#infra/html';
import { anchorFor, anchorHash, operationLink } from './components';
import {
  authenticationSection,
  eventsSection,
  idempotencySection,
  introductionSection,
  problemsSection,
  quickStartSection,
} from './introduction';
import { type DocsDocument, operationsTagged, operationUrl } from './openapi-document';
import { operationSection } from './operation';
import { schemaSections } from './schema';
import { DOCS_STYLESHEET } from './stylesheet';

/** An OpenAPI document as one page for people: no script, and nothing loaded from elsewhere. */
export function renderDocsPage(openApi: Record<string, unknown>): string {
  const document = openApi as unknown as DocsDocument;
  const { title, summary } = document.info;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title} API reference</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="description" content="${summary}"><link rel="icon" href="${DOCS_ICON}"><style>${new Html(DOCS_STYLESHEET)}</style></head>
<body><a class="skip" href="#main">Skip to the content</a>
${renderTopBar(document)}
${renderNavigation(document)}
<main id="main" tabindex="-1">
${introductionSection(document)}
${quickStartSection(document)}
${authenticationSection(document)}
${problemsSection()}
${idempotencySection(document)}
${eventsSection(document)}
${document.tags.map(({ name, description }) => renderTag(document, name, description))}
${schemaSections(document.components.schemas)}
</main></body></html>
`.toString();
}

/** The calls about one noun, with a list of them first. */
function renderTag(document: DocsDocument, name: string, description: string): Html {
  const id = anchorFor.tag(name);
  const calls = operationsTagged(document, name);
  return html`<section aria-labelledby="${id}"><div class="row tag"><div class="text">
<h2 id="${id}">${name} ${anchorHash(id, name)}</h2><p class="lead">${description}</p></div>
<div class="side"><ul class="calls card">${calls.map((operation) => html`<li>${operationLink(operation)}</li>`)}</ul></div></div>
${calls.map((operation) => operationSection(operationUrl(document), operation))}</section>
`;
}

const GUIDES = {
  introduction: 'Introduction',
  start: 'Start in one minute',
  authentication: 'Authentication',
  errors: 'Errors',
  idempotency: 'Idempotency',
  'live-events': 'Live events',
};

/** Beside the page where there is room. On a phone it covers the page while it is what the address points at. */
function renderNavigation(document: DocsDocument): Html {
  const guides = Object.entries(GUIDES).map(([id, title]) => html`<a href="#${id}">${title}</a>`);
  const schemas = Object.keys(document.components.schemas);
  return html`<nav id="contents" aria-label="Contents"><div class="brand"><a href="#introduction">${LOGO}<span>${document.info.title}</span></a><a class="close" href="#bar">Close</a></div>
${renderLinkGroup('Guide', guides)}
${document.tags.map(({ name }) => renderLinkGroup(html`<a href="#${anchorFor.tag(name)}">${name}</a>`, operationsTagged(document, name).map(operationLink)))}
${renderLinkGroup(
  html`<a href="#schemas">Schemas</a>`,
  schemas.map((name) => html`<a href="#${anchorFor.schema(name)}">${name}</a>`),
)}
</nav>`;
}

/** What a phone shows in place of it. */
function renderTopBar({ info }: DocsDocument): Html {
  return html`<div class="bar" id="bar"><a href="#introduction">${LOGO}<span>${info.title}</span></a><a class="open" href="#contents">Contents</a></div>`;
}

function renderLinkGroup(title: HtmlPart, links: readonly Html[]): Html {
  return html`<p class="group">${title}</p><ul>${links.map((link) => html`<li>${link}</li>`)}</ul>
`;
}

/** Two who take turns. */
const LOGO_SHAPE = html`<path d="M3 4h11a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2H8l-4 3.5V13H3a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2z"/><path opacity=".55" d="M18 9h3a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2h-1v3l-4-3h-5a2 2 0 0 1-2-2v-2h5.5a3.5 3.5 0 0 0 3.5-3.5z"/>`;
const LOGO = html`<svg class="logo" viewBox="0 0 24 24" width="22" height="22" fill="currentColor" aria-hidden="true">${LOGO_SHAPE}</svg>`;
const DOCS_ICON = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="#5b50e6">${LOGO_SHAPE}</svg>`)}`;
