import MarkdownIt from 'markdown-it';

const SAFE_LINK_PROTOCOLS = new Set(['http:', 'https:', 'mailto:']);

/** For what a model writes: no HTML of its own, and no images, which tell whoever has them that it was read. */
export function createMarkdownRenderer(): MarkdownIt {
  const markdown = new MarkdownIt({ html: false, linkify: false }).disable('image');
  // Only whole addresses: what is relative would lead into Parley.
  markdown.validateLink = (url) => URL.canParse(url) && SAFE_LINK_PROTOCOLS.has(new URL(url).protocol);
  markdown.renderer.rules.link_open = (tokens, index, options, _env, self) => {
    tokens[index]?.attrSet('rel', 'noopener noreferrer nofollow');
    return self.renderToken(tokens, index, options);
  };
  return markdown;
}
