export const CONTENT = `
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
