/** Every colour has its name here, once for light and once for dark; text is at least 4.5 : 1 on what it stands on. */
const DOCS_COLORS_CSS = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --raised: #f7f8fa; --line: #e5e8ee; --text: #1d2433; --strong: #0c1222; --soft: #59627a;
  --accent: #4f43dd; --chip: #eff1f6; --chip-text: #2c3650; --glow: #eeedfd;
  --get: #0b6b4f; --get-back: #dff5ec; --post: #3f35c4; --post-back: #e9e8fd; --del: #b3202f; --del-back: #fde8ea;
  --good: #0b6b4f; --good-back: #dff5ec; --bad: #8a4b06; --bad-back: #fdf0dc; --worse: #b3202f; --worse-back: #fde8ea;
  --panel: #10162a; --panel-head: #171e36; --panel-line: #262f4d; --panel-text: #d7def0; --panel-soft: #9aa6c6;
  --sans: ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Inter, Roboto, 'Helvetica Neue', Arial, sans-serif;
  --mono: ui-monospace, 'SF Mono', SFMono-Regular, Menlo, 'Cascadia Code', Consolas, 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0b0e16; --raised: #11151f; --line: #222938; --text: #cbd2e1; --strong: #f3f5fa; --soft: #98a2b8;
    --accent: #a9a4ff; --chip: #1a2030; --chip-text: #d4dbec; --glow: #1d1b3d;
    --get: #6fdcb4; --get-back: #0d2f26; --post: #b5b1ff; --post-back: #24214f; --del: #ff9aa4; --del-back: #3d151b;
    --good: #6fdcb4; --good-back: #0d2f26; --bad: #f5c37b; --bad-back: #35240d; --worse: #ff9aa4; --worse-back: #3d151b;
    --panel: #11162a; --panel-head: #161c33;
  }
}
`;

/** The page's frame: contents beside it where there is room, words beside code where there is more. */
const DOCS_LAYOUT_CSS = `
*, *::before, *::after { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; display: grid; grid-template-columns: 18rem minmax(0, 1fr);
  background: var(--page); color: var(--text); font: 400 0.9375rem/1.65 var(--sans);
  -webkit-font-smoothing: antialiased; text-rendering: optimizeLegibility;
}
main { min-width: 0; outline: none; padding: 0 clamp(1.25rem, 4vw, 4rem) 8rem; }
main > *, main > section > .row { max-width: 80rem; margin-inline: auto; }
main > section:has(> .row) { max-width: none; }
.row {
  display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 29rem); column-gap: clamp(2.5rem, 4vw, 4.5rem);
  padding-block: 4.5rem; border-top: 1px solid var(--line);
}
header.row { border-top: 0; padding-top: 5rem; }
.row.tag { padding-bottom: 3rem; }
.row.tag + .row.call { border-top-style: dashed; }
.text { min-width: 0; max-width: 43rem; }
.side { min-width: 0; position: sticky; top: 1.5rem; align-self: start; }
.skip {
  position: fixed; top: 0.75rem; left: 0.75rem; z-index: 30; padding: 0.5rem 1rem; border-radius: 0.5rem;
  background: var(--accent); color: var(--page); font-weight: 600; transform: translateY(-200%);
}
.skip:focus { transform: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 0.25rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.bar { display: none; }

@media (max-width: 74rem) {
  .row { grid-template-columns: minmax(0, 1fr); row-gap: 2.5rem; padding-block: 3.5rem; }
  .side { position: static; max-width: 43rem; }
}
@media (max-width: 56rem) {
  html { scroll-padding-top: 4.5rem; }
  body { display: block; }
  main { padding-bottom: 5rem; }
  header.row { padding-top: 2.5rem; }
  .bar {
    position: sticky; top: 0; z-index: 10; display: flex; justify-content: space-between; align-items: center;
    height: 3.5rem; padding-inline: clamp(1.25rem, 4vw, 4rem); background: var(--page); border-bottom: 1px solid var(--line);
  }
}
@media print {
  nav, .bar, .skip, .hash { display: none; }
  body { display: block; }
}
`;

const DOCS_NAVIGATION_CSS = `
nav {
  position: sticky; top: 0; height: 100vh; height: 100dvh; overflow-y: auto; overscroll-behavior: contain;
  padding: 1.75rem 1rem 3rem; background: var(--raised); border-right: 1px solid var(--line);
  font-size: 0.8438rem; line-height: 1.4; scrollbar-width: thin; scroll-target-group: auto;
}
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { color: var(--text); text-decoration: none; }
nav li a { display: flex; padding: 0.3125rem 0.625rem; border-radius: 0.4375rem; }
nav li a:hover { background: var(--chip); color: var(--strong); }
nav li a:target-current { background: var(--glow); color: var(--strong); }
nav .group {
  margin: 1.75rem 0 0.375rem; padding-inline: 0.625rem; color: var(--soft);
  font-size: 0.75rem; font-weight: 600; letter-spacing: 0.02em;
}
nav .group a { color: inherit; }
nav .group a:hover { color: var(--strong); }
.brand, .bar { font-size: 1rem; font-weight: 650; letter-spacing: -0.01em; }
.brand { display: flex; justify-content: space-between; align-items: center; padding-inline: 0.625rem; }
.brand a, .bar a { display: inline-flex; align-items: center; gap: 0.5rem; color: var(--strong); text-decoration: none; }
.logo { color: var(--accent); flex: none; }
.brand .close { display: none; }
.bar .open, .brand .close {
  padding: 0.3125rem 0.875rem; border: 1px solid var(--line); border-radius: 999px;
  font-size: 0.8438rem; font-weight: 500; letter-spacing: 0;
}

@media (max-width: 56rem) {
  nav { display: none; position: fixed; inset: 0; z-index: 20; height: auto; border: 0; font-size: 1rem; padding: 0 0 4rem; background: var(--page); }
  nav:target { display: block; }
  nav ul, nav .group { margin-inline: clamp(0.625rem, 2.5vw, 3.375rem); }
  nav li a { padding-block: 0.5625rem; }
  nav .group { font-size: 0.8125rem; }
  .brand {
    position: sticky; top: 0; height: 3.5rem; padding-inline: clamp(1.25rem, 4vw, 4rem);
    background: var(--page); border-bottom: 1px solid var(--line);
  }
  .brand .close { display: inline-flex; }
}
`;

const DOCS_CONTENT_CSS = `
h1, h2, h3, h4 { color: var(--strong); line-height: 1.25; text-wrap: balance; }
h1 { margin: 0; font-size: clamp(2.25rem, 5vw, 3rem); font-weight: 700; letter-spacing: -0.035em; }
h2 { margin: 0 0 1rem; font-size: 1.75rem; font-weight: 680; letter-spacing: -0.025em; }
h3 { margin: 0 0 0.875rem; font-size: 1.25rem; font-weight: 650; letter-spacing: -0.015em; }
.text p ~ h3, .text table ~ h3 { margin-top: 2.5rem; }
h4 { margin: 2.25rem 0 0.625rem; font-size: 0.8438rem; font-weight: 650; }
p, ol, ul { margin: 0 0 1rem; }
.text p, .text li { text-wrap: pretty; }
a { color: var(--accent); text-decoration: none; text-underline-offset: 0.2em; }
.text p a, .text .steps a, .download a { text-decoration: underline; text-decoration-color: color-mix(in srgb, currentColor 35%, transparent); }
a:hover { text-decoration: underline; text-decoration-color: currentColor; }
strong { color: var(--strong); font-weight: 620; }
code { font: 0.875em/1.5 var(--mono); overflow-wrap: anywhere; }
:is(p, li, td) > code, p a > code {
  padding: 0.125em 0.375em; border-radius: 0.3125rem; background: var(--chip); color: var(--chip-text);
}
p a > code, td a > code { color: var(--accent); }
.text p a:has(> code) { text-decoration: none; }
.eyebrow { margin-bottom: 0.75rem; color: var(--accent); font-size: 0.8125rem; font-weight: 600; }
.lead { margin: 0.75rem 0 1.75rem; color: var(--soft); font-size: 1.1875rem; line-height: 1.5; letter-spacing: -0.01em; }
.tag .lead { margin: 0; font-size: 1.0625rem; }
.note { color: var(--soft); font-size: 0.8438rem; font-weight: 400; }
.hash { margin-left: 0.25rem; color: var(--soft); font-weight: 400; opacity: 0; }
:is(h2, h3):hover .hash, .hash:focus { opacity: 1; }
.steps { padding: 0; list-style: none; counter-reset: step; }
.steps li { position: relative; margin-bottom: 1.125rem; padding-left: 2.5rem; counter-increment: step; }
.steps li::before {
  content: counter(step); position: absolute; left: 0; top: 0.0625rem; width: 1.625rem; height: 1.625rem; border-radius: 50%;
  background: var(--glow); color: var(--accent); font-size: 0.8125rem; font-weight: 650; line-height: 1.625rem; text-align: center;
}

.method, .status {
  flex: none; display: inline-block; border-radius: 0.3125rem; font: 650 0.6875rem/1.5 var(--mono); text-align: center;
}
.method { width: 2.5rem; padding: 0.0625rem 0; text-transform: uppercase; }
.method.get { color: var(--get); background: var(--get-back); }
.method.post { color: var(--post); background: var(--post-back); }
.method.delete { color: var(--del); background: var(--del-back); }
.status { padding: 0.0625rem 0.4375rem; font-size: 0.75rem; }
.status.s2 { color: var(--good); background: var(--good-back); }
.status.s4 { color: var(--bad); background: var(--bad-back); }
.status.s5 { color: var(--worse); background: var(--worse-back); }
.route { display: flex; gap: 0.625rem; align-items: baseline; margin-bottom: 1.25rem; }
.route .method { font-size: 0.75rem; width: 2.875rem; }
.route code { padding: 0; background: none; color: var(--strong); font-size: 0.9375rem; overflow-wrap: normal; }
.access { display: flex; flex-wrap: wrap; gap: 0.25rem 0.375rem; align-items: baseline; margin-top: 1.25rem; }
.access .label { margin-right: 0.375rem; color: var(--soft); font-size: 0.8438rem; }

.calls { margin: 0; padding: 0; list-style: none; }
.call-link { display: flex; gap: 0.625rem; align-items: baseline; }
.text .calls a, .card a { padding-block: 0.1875rem; color: var(--text); }
.calls a:hover { color: var(--accent); }
.card { padding: 0.875rem 1.125rem; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--raised); }
.card .call-link { padding-block: 0.3125rem; }
.download { margin: 1rem 0 0; }
:target > .text > :is(h2, h3):first-child { color: var(--accent); }
`;

const DOCS_TABLES_CSS = `
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; line-height: 1.55; }
th, td { padding: 0.75rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; }
tbody:last-child tr:last-child > * { border-bottom: 1px solid var(--line); }
td p { margin: 0.25rem 0 0; }
td p:first-child { margin-top: 0; }
thead th { padding-block: 0.5rem; border-top: 0; color: var(--soft); font-size: 0.8125rem; font-weight: 500; }
thead th code { color: inherit; }
.fields { table-layout: fixed; }
.fields .name { width: 36%; }
.schema .fields .name { width: 44%; }
.fields tbody th { padding-right: 1.25rem; }
.fields th code { color: var(--strong); font-size: 0.8438rem; font-weight: 600; }
.fields .within { color: var(--soft); font-weight: 400; }
.mark { color: var(--soft); font-size: 0.75rem; font-style: normal; font-weight: 500; }
.mark.required { color: var(--bad); }
th .mark { display: block; }
.type { color: var(--soft); font: 0.8125rem/1.5 var(--mono); overflow-wrap: anywhere; }
.limits { margin: 0.25rem 0 0; padding: 0; list-style: none; color: var(--soft); font-size: 0.8125rem; }
.limits li { margin-top: 0.1875rem; }
.plain th, .plain td { padding-right: 1.25rem; }
.plain tr > :last-child { padding-right: 0; }
.replies tbody th, .problems tbody th { width: 4.25rem; }
.codes td:first-child { width: 4.5rem; }
:is(.codes, .scopes) th code { color: var(--strong); white-space: nowrap; }
tr:target > * { background: var(--glow); }
.none { color: var(--soft); font-size: 0.8125rem; }

details > summary { cursor: pointer; list-style: none; }
details > summary::-webkit-details-marker { display: none; }
summary::before {
  content: ''; flex: none; align-self: center; width: 0.375rem; height: 0.375rem; margin: 0 0.25rem 0 0.125rem;
  border: solid var(--soft); border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg);
}
[open] > summary::before { transform: rotate(45deg); }
.problems { margin-top: 1.75rem; border: 1px solid var(--line); border-radius: 0.625rem; }
.problems summary { display: flex; flex-wrap: wrap; gap: 0.375rem 0.625rem; align-items: center; padding: 0.625rem 0.875rem; }
.problems summary > span:first-child { color: var(--strong); font-size: 0.8438rem; font-weight: 650; }
.problems summary:hover { background: var(--raised); border-radius: 0.625rem; }
.statuses { display: flex; flex-wrap: wrap; gap: 0.25rem; margin-left: auto; }
.statuses .status { padding-inline: 0.25rem; font-size: 0.6875rem; }
.problems table { margin: 0; }
.problems tbody th { padding-left: 0.875rem; width: 5rem; }
.problems td { padding-right: 0.875rem; }
.problems tbody tr:last-child > * { border-bottom: 0; }

.schemas { grid-column: 1 / -1; columns: 2; column-gap: 1.5rem; margin-top: 1rem; }
.schema { break-inside: avoid; margin-bottom: 1.5rem; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--page); }
.schema:target { border-color: var(--accent); box-shadow: 0 0 0 3px var(--glow); }
.schema summary { display: flex; gap: 0.5rem; align-items: baseline; padding: 0.875rem 1.125rem; }
.schema h3 { margin: 0; font-size: 1rem; }
.schema summary .type { margin-left: auto; }
.schema .inside { padding: 0 1.125rem 0.625rem; }
.schema .inside > table > tbody > tr:last-child > * { border-bottom: 0; }
.schema td, .schema tbody th { padding-block: 0.5625rem; }
.schema .inside > .limits { padding-bottom: 0.5rem; font-size: 0.875rem; line-height: 1.9; }
.choices { margin: 0 0 0.5rem; padding: 0; list-style: none; }
.choices > li { padding-block: 0.4375rem; border-top: 1px solid var(--line); }
.choices .fields { margin-top: 0.375rem; }

@media (max-width: 74rem) { .schemas { columns: 1; margin-top: 0; } }
@media (max-width: 40rem) {
  .fields, .fields tbody, .fields tr, .fields th, .fields td { display: block; }
  .fields tbody th { padding: 0.75rem 0 0; }
  .fields tbody td, .schema .fields td { padding: 0.125rem 0 0.75rem; border-top: 0; }
  .fields tbody:last-child tr:last-child > th { border-bottom: 0; }
  th .mark { display: inline; margin-left: 0.5rem; }
  .plain th, .plain td { padding-right: 0.625rem; }
  .plain :is(code, .type) { font-size: 0.75rem; }
  .codes td:first-child { width: 3.25rem; }
}
@media (max-width: 24rem) {
  :is(.codes, .scopes) th code { white-space: normal; }
}
`;

const DOCS_CODE_CSS = `
.panel {
  margin: 0 0 1.25rem; overflow: hidden; border: 1px solid var(--panel-line); border-radius: 0.75rem;
  background: var(--panel); color: var(--panel-text);
}
.panel figcaption {
  display: flex; gap: 0.625rem; align-items: center; padding: 0.5625rem 1rem; background: var(--panel-head);
  border-bottom: 1px solid var(--panel-line); color: var(--panel-soft); font: 0.75rem/1.6 var(--mono); overflow-wrap: anywhere;
}
.panel pre { margin: 0; padding: 0.9375rem 1rem; max-height: 27rem; overflow: auto; scrollbar-width: thin; scrollbar-color: #3b4670 transparent; }
.panel pre:focus-visible { outline: 2px solid #a9a4ff; outline-offset: -2px; border-radius: 0 0 0.75rem 0.75rem; }
.panel code { font-size: 0.7813rem; line-height: 1.7; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 2; }
.panel .method, .panel .status { --get: #6fdcb4; --get-back: #10382d; --post: #b5b1ff; --post-back: #2b2860; --del: #ff9aa4; --del-back: #461820; --good: #6fdcb4; --good-back: #10382d; --bad: #f5c37b; --bad-back: #3b2a12; }
.key { color: #a9c7ff; }
.string { color: #a5e3bf; }
.number { color: #f3c38b; }
.word { color: #d3b4ff; }
.field { color: #d3b4ff; }
`;

/** The one stylesheet of the page. Its hash is what the page's policy lets in. */
export const DOCS_STYLESHEET = [
  DOCS_COLORS_CSS,
  DOCS_LAYOUT_CSS,
  DOCS_NAVIGATION_CSS,
  DOCS_CONTENT_CSS,
  DOCS_TABLES_CSS,
  DOCS_CODE_CSS,
].join('');
