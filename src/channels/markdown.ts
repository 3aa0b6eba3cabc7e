import MarkdownIt from 'markdown-it';

const SAFE = new Set(['http:', 'https:', 'mailto:']);

/** For what a model writes: no HTML of its own, and no images, which tell whoever has them that it was read. */
export function createMarkdown(): MarkdownIt {
  const markdown = new MarkdownIt({ html: false, linkify: false }).disable('image');
  // Only whole addresses: what is relative would lead into Parley.
  markdown.validateLink = (url) => URL.canParse(url) && SAFE.has(new URL(url).protocol);
  markdown.renderer.rules.link_open = (tokens, at, options, _env, self) => {
    tokens[at]?.attrSet('rel', 'noopener noreferrer nofollow');
    return self.renderToken(tokens, at, options);
  };
  return markdown;
}
