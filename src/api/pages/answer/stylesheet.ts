/** The colors of the web app, for light and dark. Text has a contrast of at least 4.5 : 1. */
const ANSWER_PAGE_COLORS = `
:root {
  color-scheme: light dark;
  --paper: #f7f6f3; --surface: #ffffff; --sunken: #f0eeea; --line: #e3e0d9; --line-strong: #8d8a83;
  --ink: #1b1d1c; --ink-soft: #55585a;
  --accent: #0b6b75; --accent-strong: #08545c; --accent-soft: #e0f1f2; --on-accent: #ffffff;
  --danger: #b3261e; --danger-soft: #fdecea; --warn: #8a4b00; --warn-soft: #fdf1dd; --good: #1c6b3c; --good-soft: #e3f4e9;
  --shadow: 0 1px 2px rgb(27 29 28 / 6%), 0 4px 16px rgb(27 29 28 / 5%);
  --sans: "Inter Variable", Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #121413; --surface: #1a1d1c; --sunken: #0d0f0e; --line: #2c312f; --line-strong: #7b837f;
    --ink: #eceeed; --ink-soft: #a9b1ad;
    --accent: #63cbd3; --accent-strong: #8fe0e6; --accent-soft: #15312f; --on-accent: #06282b;
    --danger: #ff9d94; --danger-soft: #3a1d1a; --warn: #f3b562; --warn-soft: #35260f; --good: #7fd3a0; --good-soft: #15301f;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 4px 16px rgb(0 0 0 / 30%);
  }
}
`;

const ANSWER_PAGE_LAYOUT = `
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 400 1rem/1.55 var(--sans); overflow-wrap: anywhere; }
h1, h2, h3, h4, h5, h6, p, ul, ol, dl, dd, fieldset { margin: 0; padding: 0; }
h1, h2, h3, h4, h5, h6 { font-weight: 650; line-height: 1.3; letter-spacing: -0.011em; text-wrap: balance; }
h1, .card > h2 { font-size: 1.375rem; }
a { color: var(--accent); text-underline-offset: 0.2em; }
code, pre { font-family: var(--mono); font-size: 0.9em; }
main { display: grid; gap: 1rem; width: 100%; max-width: 40rem; margin: 0 auto; padding: 1rem max(1rem, env(safe-area-inset-right)) 2rem max(1rem, env(safe-area-inset-left)); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.card { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.125rem; padding: 1.125rem; border: 1px solid var(--line);
  border-top: 4px solid var(--accent); border-radius: 14px; background: var(--surface); box-shadow: var(--shadow); }
.card.grave { border-color: var(--danger); }
.card h1, .card > h2 { margin-top: -0.75rem; }
.from { color: var(--ink-soft); font-size: 0.9375rem; }
.from strong { color: var(--ink); font-weight: 600; }
.grave .from strong { color: var(--danger); }
.deadline { padding: 0.625rem 0.875rem; border-radius: 10px; background: var(--accent-soft); font-size: 0.9375rem; }
.grave .deadline { background: var(--sunken); }
.footer { padding-top: 1rem; border-top: 1px solid var(--line); color: var(--ink-soft); font-size: 0.875rem; }

.context { display: grid; gap: 0.625rem; color: var(--ink-soft); }
.context > * { min-width: 0; }
.context h2, .context h3, .context h4, .context h5, .context h6 { color: var(--ink); font-size: 1rem; }
.context strong { color: var(--ink); }
.context ul, .context ol { padding-inline-start: 1.4em; }
.context blockquote { margin: 0; padding-inline-start: 0.875rem; border-inline-start: 3px solid var(--line); }
.context code { padding: 0.1em 0.3em; border-radius: 4px; background: var(--sunken); }
.context pre { margin: 0; padding: 0.75rem; border-radius: 8px; background: var(--sunken); white-space: pre-wrap; }
.context pre code { padding: 0; }
.context table { border-collapse: collapse; font-size: 0.9375rem; }
.context th, .context td { padding: 0.3rem 0.5rem; border: 1px solid var(--line); text-align: start; }
.context hr { width: 100%; border: 0; border-top: 1px solid var(--line); }

.action { display: grid; gap: 0.5rem; padding: 0.875rem; border: 1px solid var(--line); border-radius: 10px; background: var(--sunken); }
.grave .action { border-color: var(--danger); background: var(--danger-soft); }
.action p { font-weight: 600; }
.action pre { margin: 0; padding: 0.75rem; border-radius: 6px; background: var(--surface); white-space: pre-wrap; }

.banner { display: grid; gap: 0.375rem; padding: 1.125rem; border: 1px solid currentcolor; border-radius: 14px; }
.banner p { color: var(--ink); }
.banner time { color: var(--ink-soft); font-size: 0.9375rem; }
.banner.good { background: var(--good-soft); color: var(--good); }
.banner.warn { background: var(--warn-soft); color: var(--warn); }
.banner.danger { background: var(--danger-soft); color: var(--danger); }
.banner.plain { border-color: var(--line-strong); background: var(--surface); color: var(--ink); }

.answers { display: grid; gap: 1rem; }
.answers dt { color: var(--ink-soft); font-size: 0.9375rem; white-space: pre-wrap; }
.answers dd { font-weight: 600; white-space: pre-wrap; }
.answers .none { color: var(--ink-soft); font-weight: 400; font-style: italic; }

@media (min-width: 40rem) {
  main { padding-block: 2.5rem; }
  .card, .banner { padding: 1.75rem; }
}
`;

const ANSWER_PAGE_FORM = `
form { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; }
.field { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.5rem; min-width: 0; border: 0; }
.field.wrong { padding-inline-start: 0.875rem; border-inline-start: 4px solid var(--danger); }
.question { display: block; padding: 0; font-weight: 600; font-size: 1.0625rem; line-height: 1.4; white-space: pre-line; }
legend.question { margin-bottom: 0.5rem; }
.header { display: block; width: fit-content; max-width: 100%; margin-bottom: 0.25rem; padding: 0 0.5rem; border-radius: 999px; background: var(--sunken);
  color: var(--ink-soft); font-weight: 560; font-size: 0.8125rem; line-height: 1.6; white-space: normal; }
.optional, .hint { color: var(--ink-soft); font-weight: 400; font-size: 0.9375rem; }
.error { color: var(--danger); font-weight: 600; }

input, textarea, select, button { font: inherit; color: inherit; }
input:not([type="radio"], [type="checkbox"], [type="hidden"]), textarea, select {
  width: 100%; min-width: 0; min-height: 3rem; padding: 0.625rem 0.75rem; border: 1px solid var(--line-strong); border-radius: 10px;
  background: var(--surface); line-height: 1.4; }
textarea { display: block; resize: vertical; }
::placeholder { color: var(--ink-soft); opacity: 1; }
[aria-invalid="true"] { border-color: var(--danger) !important; border-width: 2px !important; }
input[type="radio"], input[type="checkbox"] { flex: none; width: 1.375rem; height: 1.375rem; margin: 0; accent-color: var(--accent); }

.choices { display: grid; gap: 0.5rem; }
.choice { display: flex; align-items: center; gap: 0.75rem; min-height: 3.25rem; padding: 0.625rem 0.875rem; border: 1px solid var(--line-strong);
  border-radius: 10px; background: var(--surface); }
label.choice, .pick { cursor: pointer; }
.choice:has(:checked) { border-color: var(--accent); background: var(--accent-soft); box-shadow: inset 0 0 0 1px var(--accent); }
.choice:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
.choice :focus-visible[type="radio"], .choice :focus-visible[type="checkbox"] { outline: none; }
.words { display: grid; min-width: 0; }
.name { font-weight: 560; white-space: pre-line; }
.description { color: var(--ink-soft); font-size: 0.9375rem; white-space: pre-line; }
.other { flex-wrap: wrap; }
.pick { display: flex; align-items: center; gap: 0.75rem; min-height: 2.75rem; }
.other input[type="text"] { flex: 1 1 12rem; }

button { min-height: 3rem; padding: 0 1.25rem; border: 1px solid var(--line-strong); border-radius: 10px; background: var(--surface); font-weight: 600; cursor: pointer; }
button:hover { background: var(--sunken); }
button.send { width: 100%; min-height: 3.25rem; border-color: transparent; background: var(--accent); color: var(--on-accent); font-size: 1.0625rem; }
button.send:hover { background: var(--accent-strong); }
.decline { color: var(--ink-soft); }
.decline summary { width: fit-content; min-height: 2.75rem; padding: 0.625rem 0; cursor: pointer; font-weight: 560; }
.decline p { margin: 0.25rem 0 0.875rem; }
.decline button { color: var(--ink); }

.summary { display: grid; gap: 0.375rem; padding: 0.875rem; border: 2px solid var(--danger); border-radius: 10px; background: var(--danger-soft); }
.summary h2 { color: var(--danger); font-size: 1.0625rem; }
.summary ul { padding-inline-start: 1.25em; }
.summary a { color: var(--danger); font-weight: 600; }

@media (forced-colors: active) {
  .choice:has(:checked) { outline: 2px solid Highlight; }
  button { border-color: ButtonText; }
}
`;

export const ANSWER_PAGE_STYLESHEET = ANSWER_PAGE_COLORS + ANSWER_PAGE_LAYOUT + ANSWER_PAGE_FORM;
