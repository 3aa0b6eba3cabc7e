import MarkdownIt, { type Token } from 'markdown-it';

const SAFE = new Set(['http:', 'https:', 'mailto:']);

const markdown = createMarkdown();

function createMarkdown(): MarkdownIt {
  // What a reference leads to may be written last, when the words that refer to it are long on the screen.
  const made = new MarkdownIt({ html: false, linkify: false }).disable('reference');
  made.validateLink = (url) => URL.canParse(url) && SAFE.has(new URL(url).protocol);
  return made;
}

/** A block of Markdown with those inside it. */
export interface Block {
  token: Token;
  children: Block[];
}

export function blocksIn(source: string): Block[] {
  const root: Block[] = [];
  const open = [root];
  for (const token of markdown.parse(source, {})) {
    if (token.nesting < 0) open.pop();
    else {
      const block: Block = { token, children: [] };
      open.at(-1)?.push(block);
      if (token.nesting > 0) open.push(block.children);
    }
  }
  return root;
}
