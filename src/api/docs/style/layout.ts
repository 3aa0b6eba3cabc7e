/** The page's frame: contents beside it where there is room, words beside code where there is more. */
export const LAYOUT = `
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
