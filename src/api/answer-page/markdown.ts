import { Html } from '#api/docs/html';
import { createMarkdownRenderer } from '#infra/markdown';

const markdown = createMarkdownRenderer();

/** Headings stand below those of the page. */
const LEVELS_BELOW = 1;
markdown.core.ruler.push('headings', ({ tokens }) => {
  for (const token of tokens) {
    if (!token.type.startsWith('heading')) continue;
    token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + LEVELS_BELOW)}`;
  }
});

export function rendered(text: string): Html {
  return new Html(markdown.render(text));
}
