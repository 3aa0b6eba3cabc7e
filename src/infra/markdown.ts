import MarkdownIt from 'markdown-it';

const SAFE_LINK_PROTOCOLS = new Set(['http:', 'https:', 'mailto:']);

/** Renders a model's text without raw HTML, and without images, which would tell their host that it was read. */
export function createMarkdownRenderer(): MarkdownIt {
  const markdown = new MarkdownIt({ html: false, linkify: false }).disable('image');
  // Absolute URLs only: a relative one would lead into Parley.
  markdown.validateLink = (url) => URL.canParse(url) && SAFE_LINK_PROTOCOLS.has(new URL(url).protocol);
  markdown.renderer.rules.link_open = (tokens, index, options, _env, self) => {
    tokens[index]?.attrSet('rel', 'noopener noreferrer nofollow');
    return self.renderToken(tokens, index, options);
  };
  return markdown;
}
