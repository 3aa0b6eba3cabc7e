import { escapeHtml } from '#infra/html';
import { createMarkdownRenderer } from '#infra/markdown';
import type { EmailChoice, EmailContent, EmailPart } from './content';

/**
 * Renders the email as HTML. Styles are inline, since many mail programs drop stylesheets; a stylesheet adds dark mode
 * for those that support it.
 */
export function renderEmailHtml({ subject, preview, heading, parts, footer }: EmailContent): string {
  const title = heading.title ? `<div ${styleAttributes('title')} dir="auto">${escapeHtml(heading.title)}</div>` : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${DARK_MODE_CSS}</style>
</head>
<body ${styleAttributes('page')}>
<div style="display:none;max-height:0;overflow:hidden;opacity:0">${escapeHtml(preview)}${'&#847; &zwnj; '.repeat(40)}</div>
<div ${styleAttributes('frame')}>
<div ${styleAttributes('card')}>
<div ${styleAttributes('who')} dir="auto">${escapeHtml(heading.from)}</div>
${title}
${parts.map(renderPart).join('\n')}
</div>
<div ${styleAttributes('footer')}>${footer.map((line) => `<p ${styleAttributes('small')}>${escapeHtml(line)}</p>`).join('\n')}</div>
</div>
</body>
</html>
`;
}

function renderPart(part: EmailPart): string {
  switch (part.kind) {
    case 'question':
      return `<h1 ${styleAttributes('question')} dir="auto">${renderLines(part.text)}</h1>`;
    case 'paragraph':
      return `<p ${styleAttributes('paragraph')} dir="auto">${renderLines(part.text)}</p>`;
    case 'hint':
      return `<p ${styleAttributes('hint')} dir="auto">${renderLines(part.text)}</p>`;
    case 'markdown':
      return `<div ${styleAttributes('context')} dir="auto">${markdownRenderer.render(part.text)}</div>`;
    case 'preformatted':
      return `<p ${styleAttributes('label')}>${escapeHtml(part.label)}</p>\n<pre ${styleAttributes('code')}>${escapeHtml(part.text)}</pre>`;
    case 'choices':
      return part.choices.map(renderChoice).join('\n');
    case 'facts':
      return part.facts.map(renderFact).join('\n');
    case 'button':
      return `<p ${styleAttributes('buttons')}><a href="${escapeHtml(part.url)}" ${styleAttributes('button')}>${escapeHtml(part.label)}</a></p>`;
  }
}

function renderChoice({ number, label, description, url }: EmailChoice): string {
  const mark = number === undefined ? '' : `<span ${styleAttributes('number')}>${number}</span> `;
  const more = description ? `<br><span ${styleAttributes('description')}>${escapeHtml(description)}</span>` : '';
  const text = `${mark}<strong>${escapeHtml(label)}</strong>${more}`;
  if (!url) return `<div ${styleAttributes('choice')} dir="auto">${text}</div>`;
  return `<a href="${escapeHtml(url)}" ${styleAttributes('choice')} dir="auto">${text}</a>`;
}

function renderFact([name, value]: [string, string]): string {
  return `<p ${styleAttributes('fact')} dir="auto"><span ${styleAttributes('name')}>${escapeHtml(name)}</span><br>${renderLines(value)}</p>`;
}

function styleAttributes(name: keyof typeof EMAIL_STYLE): string {
  return `class="${name}" style="${EMAIL_STYLE[name]}"`;
}

function renderLines(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}

const FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
const MONO = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace';
const BREAK = 'overflow-wrap:anywhere;word-break:break-word';

/** Styles for light backgrounds, by the class of each part. */
const EMAIL_STYLE = {
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

/** Styles for rendered Markdown, by tag. */
const EMAIL_MARKDOWN_STYLE: Record<string, string> = {
  p: 'margin:0 0 10px',
  ul: 'margin:0 0 10px;padding-left:22px',
  ol: 'margin:0 0 10px;padding-left:22px',
  h1: 'font-size:18px;margin:14px 0 8px',
  h2: 'font-size:17px;margin:14px 0 8px',
  h3: 'font-size:16px;margin:14px 0 8px',
  h4: 'font-size:15px;margin:14px 0 8px',
  code: `${MONO};font-size:13px`,
  pre: EMAIL_STYLE.code,
  blockquote: 'margin:0 0 10px;padding:2px 0 2px 12px;border-left:3px solid #c9cfd8',
  table: 'border-collapse:collapse;margin:0 0 10px;font-size:14px',
  th: 'border:1px solid #c9cfd8;padding:4px 8px;text-align:left',
  td: 'border:1px solid #c9cfd8;padding:4px 8px',
  a: 'color:#3b4a9b',
};

const DARK_GREY_CSS = '.title,.label,.number,.description,.hint,.name,.small{color:#a3abb8!important}';

const DARK_MODE_CSS = `:root{color-scheme:light dark}@media (prefers-color-scheme:dark){.page{background:#15171c!important;color:#e7e9ee!important}.card{background:#1e2128!important;border-color:#343944!important}.choice{color:#e7e9ee!important;border-color:#4a5160!important}.code,pre{background:#262a33!important;border-color:#343944!important}.who,.context a{color:#a9b4f5!important}.button{background:#5566c7!important}${DARK_GREY_CSS}}`;

const markdownRenderer = createMarkdownRenderer();

markdownRenderer.core.ruler.push('styled', ({ tokens }) => {
  for (const token of tokens.flatMap((parent) => [parent, ...(parent.children ?? [])])) {
    const style = EMAIL_MARKDOWN_STYLE[token.tag];
    if (style && token.nesting >= 0) token.attrSet('style', style);
  }
});

// Puts the style on the box instead of the code inside.
const renderCodeBox: NonNullable<typeof markdownRenderer.renderer.rules.fence> = (tokens, index) =>
  `<pre style="${EMAIL_MARKDOWN_STYLE.pre}">${escapeHtml(tokens[index]?.content ?? '')}</pre>\n`;
markdownRenderer.renderer.rules.fence = renderCodeBox;
markdownRenderer.renderer.rules.code_block = renderCodeBox;
