export const LAYOUT = `
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
