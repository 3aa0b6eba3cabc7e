export const CODE = `
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
