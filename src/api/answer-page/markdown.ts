import MarkdownIt from 'markdown-it';
import { Html } from '../docs/html';

/** Written by a model: no HTML of its own, no images, which tell whoever has them that the page was opened. */
const markdown = new MarkdownIt({ html: false, linkify: false }).disable('image');

const SAFE = new Set(['http:', 'https:', 'mailto:']);

/** Only whole addresses: what is relative would lead into Parley. */
markdown.validateLink = (url) => URL.canParse(url) && SAFE.has(new URL(url).protocol);

markdown.renderer.rules.link_open = (tokens, at, options, _env, self) => {
  tokens[at]?.attrSet('rel', 'noopener noreferrer nofollow');
  return self.renderToken(tokens, at, options);
};

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
