import { Html, type HtmlPart, html } from '#infra/html';
import { createMarkdownRenderer } from '#infra/markdown';

export interface AnswerPageContent {
  status: number;
  title: string;
  body: Html;
}

/** Renders a complete page, without script. `base` is the path Parley is served under. */
export function renderAnswerPage(base: string, { title, body }: AnswerPageContent): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Parley</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no">
<link rel="icon" type="image/svg+xml" href="${base}/favicon.svg">
<link rel="stylesheet" href="${base}/a/style.css">
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.toString();
}

export type BannerTone = 'good' | 'warn' | 'danger' | 'plain';

/** Renders a short notice of what happened, above everything else. */
export function renderBanner(tone: BannerTone, title: string, ...more: HtmlPart[]): Html {
  return html`<div class="banner ${tone}" role="status">
<h1>${title}</h1>
${more.map((part) => part && html`<p>${part}</p>`)}
</div>`;
}

/** Isolates text by people and models, so that its direction does not affect the text around it. */
export function renderQuoted(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

const markdown = createMarkdownRenderer();

/** Headings in Markdown rank below those of the page. */
const LEVELS_BELOW = 1;
markdown.core.ruler.push('headings', ({ tokens }) => {
  for (const token of tokens) {
    if (!token.type.startsWith('heading')) continue;
    token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + LEVELS_BELOW)}`;
  }
});

export function renderMarkdownHtml(text: string): Html {
  return new Html(markdown.render(text));
}
