const FONT =
  "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
const MONO = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace';
const BREAK = 'overflow-wrap:anywhere;word-break:break-word';

/** By the class of each part, for light backgrounds. */
export const STYLE = {
  page: `margin:0;padding:0;background:#f3f4f6;color:#1f2430;${FONT};font-size:16px;line-height:1.5;-webkit-text-size-adjust:100%`,
  frame: `max-width:580px;margin:0 auto;padding:20px 12px;${FONT};font-size:16px;line-height:1.5`,
  card: `background:#ffffff;border:1px solid #e2e5ea;border-radius:12px;padding:24px 22px;${BREAK}`,
  who: 'font-size:14px;font-weight:600;color:#3b4a9b;margin:0',
  title: 'font-size:14px;color:#5b6472;margin:2px 0 0',
  question: 'font-size:21px;line-height:1.35;font-weight:650;margin:20px 0 12px',
  paragraph: 'margin:14px 0',
  context: 'margin:14px 0;font-size:15px',
  label: 'margin:16px 0 6px;font-size:14px;font-weight:600;color:#5b6472',
  code: `margin:0 0 16px;padding:12px 14px;background:#f5f6f8;border:1px solid #e2e5ea;border-radius:8px;${MONO};font-size:13px;line-height:1.45;white-space:pre-wrap;${BREAK}`,
  choice:
    'display:block;margin:8px 0;padding:11px 14px;border:1px solid #c9cfd8;border-radius:8px;color:#1f2430;text-decoration:none;font-size:15px',
  number: 'color:#5b6472;font-size:13px;padding-right:4px',
  description: 'color:#5b6472;font-size:14px',
  buttons: 'margin:20px 0 16px',
  button:
    'display:inline-block;padding:12px 26px;background:#3b4a9b;border-radius:8px;color:#ffffff;font-weight:600;text-decoration:none',
  hint: 'margin:12px 0;font-size:14px;color:#5b6472',
  fact: 'margin:10px 0',
  name: 'font-size:13px;color:#5b6472',
  footer: `padding:14px 22px;${BREAK}`,
  small: 'margin:4px 0;font-size:12px;line-height:1.45;color:#69717f',
} as const;

/** What Markdown becomes, by its tag. */
export const MARKDOWN_STYLE: Record<string, string> = {
  p: 'margin:0 0 10px',
  ul: 'margin:0 0 10px;padding-left:22px',
  ol: 'margin:0 0 10px;padding-left:22px',
  h1: 'font-size:18px;margin:14px 0 8px',
  h2: 'font-size:17px;margin:14px 0 8px',
  h3: 'font-size:16px;margin:14px 0 8px',
  h4: 'font-size:15px;margin:14px 0 8px',
  code: `${MONO};font-size:13px`,
  pre: STYLE.code,
  blockquote: 'margin:0 0 10px;padding:2px 0 2px 12px;border-left:3px solid #c9cfd8',
  table: 'border-collapse:collapse;margin:0 0 10px;font-size:14px',
  th: 'border:1px solid #c9cfd8;padding:4px 8px;text-align:left',
  td: 'border:1px solid #c9cfd8;padding:4px 8px',
  a: 'color:#3b4a9b',
};

const GREY = '.title,.label,.number,.description,.hint,.name,.small{color:#a3abb8!important}';

export const DARK = `:root{color-scheme:light dark}@media (prefers-color-scheme:dark){.page{background:#15171c!important;color:#e7e9ee!important}.card{background:#1e2128!important;border-color:#343944!important}.choice{color:#e7e9ee!important;border-color:#4a5160!important}.code,pre{background:#262a33!important;border-color:#343944!important}.who,.context a{color:#a9b4f5!important}.button{background:#5566c7!important}${GREY}}`;
