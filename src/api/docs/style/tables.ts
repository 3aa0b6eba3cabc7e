export const TABLES = `
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
