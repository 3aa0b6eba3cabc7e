import { createMarkdown } from '#channels/markdown';
import { MARKDOWN_STYLE } from './style';

const markdown = createMarkdown();

markdown.core.ruler.push('styled', ({ tokens }) => {
  for (const token of tokens.flatMap((one) => [one, ...(one.children ?? [])])) {
    const style = MARKDOWN_STYLE[token.tag];
    if (style && token.nesting >= 0) token.attrSet('style', style);
  }
});

// The style is for the box and not for the code within.
const boxed: NonNullable<typeof markdown.renderer.rules.fence> = (tokens, index) =>
  `<pre style="${MARKDOWN_STYLE.pre}">${markdown.utils.escapeHtml(tokens[index]?.content ?? '')}</pre>\n`;
markdown.renderer.rules.fence = boxed;
markdown.renderer.rules.code_block = boxed;

export function markdownHtml(text: string): string {
  return markdown.render(text);
}
