import { type Html, html, type Part } from '#api/docs/html';

export interface Shown {
  status: number;
  title: string;
  body: Html;
}

/** One page: no script, and nothing but its own stylesheet and the icon. `base` is the path that Parley is under. */
export function renderPage(base: string, { title, body }: Shown): string {
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

export type Tone = 'good' | 'warn' | 'danger' | 'plain';

/** What happened, in a few words, before everything else. */
export function banner(tone: Tone, title: string, ...more: Part[]): Html {
  return html`<div class="banner ${tone}" role="status">
<h1>${title}</h1>
${more.map((part) => part && html`<p>${part}</p>`)}
</div>`;
}

/** Whatever people and models wrote runs in its own direction, and turns nothing else around. */
export function said(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}
