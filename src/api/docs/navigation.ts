import { callsTagged, type Document } from './document';
import { type Html, html, type Part } from './html';
import { anchorOf, callLink } from './link';

const GUIDES = {
  introduction: 'Introduction',
  start: 'Start in one minute',
  authentication: 'Authentication',
  errors: 'Errors',
  idempotency: 'Idempotency',
  'live-events': 'Live events',
};

/** Beside the page where there is room. On a phone it covers the page while it is what the address points at. */
export function navigation(document: Document): Html {
  const guides = Object.entries(GUIDES).map(([id, title]) => html`<a href="#${id}">${title}</a>`);
  const schemas = Object.keys(document.components.schemas);
  return html`<nav id="contents" aria-label="Contents"><div class="brand"><a href="#introduction">${LOGO}<span>${document.info.title}</span></a><a class="close" href="#bar">Close</a></div>
${group('Guide', guides)}
${document.tags.map(({ name }) => group(html`<a href="#${anchorOf.tag(name)}">${name}</a>`, callsTagged(document, name).map(callLink)))}
${group(
  html`<a href="#schemas">Schemas</a>`,
  schemas.map((name) => html`<a href="#${anchorOf.schema(name)}">${name}</a>`),
)}
</nav>`;
}

/** What a phone shows in place of it. */
export function bar({ info }: Document): Html {
  return html`<div class="bar" id="bar"><a href="#introduction">${LOGO}<span>${info.title}</span></a><a class="open" href="#contents">Contents</a></div>`;
}

function group(title: Part, links: readonly Html[]): Html {
  return html`<p class="group">${title}</p><ul>${links.map((link) => html`<li>${link}</li>`)}</ul>
`;
}

/** Two who take turns. */
const SHAPE = html`<path d="M3 4h11a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2H8l-4 3.5V13H3a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2z"/><path opacity=".55" d="M18 9h3a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2h-1v3l-4-3h-5a2 2 0 0 1-2-2v-2h5.5a3.5 3.5 0 0 0 3.5-3.5z"/>`;
const LOGO = html`<svg class="logo" viewBox="0 0 24 24" width="22" height="22" fill="currentColor" aria-hidden="true">${SHAPE}</svg>`;
export const ICON = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="#5b50e6">${SHAPE}</svg>`)}`;
