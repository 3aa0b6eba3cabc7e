export const NAVIGATION = `
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
