/** The colours of the web app, once for light and once for dark; text is at least 4.5 : 1 on what it stands on. */
export const COLORS = `
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
