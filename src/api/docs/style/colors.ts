/** Every colour has its name here, once for light and once for dark; text is at least 4.5 : 1 on what it stands on. */
export const COLORS = `
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
