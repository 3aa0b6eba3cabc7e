export const FORM = `
form { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; }
.field { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.5rem; min-width: 0; border: 0; }
.field.wrong { padding-inline-start: 0.875rem; border-inline-start: 4px solid var(--danger); }
.question { display: block; padding: 0; font-weight: 600; font-size: 1.0625rem; line-height: 1.4; white-space: pre-line; }
legend.question { margin-bottom: 0.5rem; }
.header { display: block; width: fit-content; max-width: 100%; margin-bottom: 0.25rem; padding: 0 0.5rem; border-radius: 999px; background: var(--sunken);
  color: var(--ink-soft); font-weight: 560; font-size: 0.8125rem; line-height: 1.6; white-space: normal; }
.optional, .hint { color: var(--ink-soft); font-weight: 400; font-size: 0.9375rem; }
.fault { color: var(--danger); font-weight: 600; }

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
