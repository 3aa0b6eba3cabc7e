import type { Token } from 'markdown-it';
import { safe } from './safe';
import type { Style } from './style';

type Paint = (text: string) => string;

/** The words of a paragraph, a heading or a cell, with hard breaks as they are. */
export function inlineText(tokens: readonly Token[], style: Style): string {
  const paints: Paint[] = [];
  const links: { href: string; from: number }[] = [];
  let said = '';
  const add = (text: string) => {
    said += paints.reduceRight((painted, paint) => paint(painted), text);
  };
  for (const token of tokens) {
    if (token.type === 'link_open') links.push({ href: hrefOf(token), from: said.length });
    else if (token.type === 'link_close') {
      const link = links.pop();
      if (link) add(addressBeside(link.href, said.slice(link.from), style));
    } else if (token.nesting > 0) paints.push(paintOf(token, style));
    else if (token.nesting < 0) paints.pop();
    else add(wordsOf(token, style));
    if (token.type === 's_open' || token.type === 's_close') add('~~');
  }
  return said;
}

function paintOf({ type }: Token, style: Style): Paint {
  if (type === 'strong_open') return style.bold;
  return type === 'em_open' ? style.italic : (text) => text;
}

function wordsOf(token: Token, style: Style): string {
  switch (token.type) {
    case 'softbreak':
      return ' ';
    case 'hardbreak':
      return '\n';
    case 'code_inline':
      return style.isColored ? style.code(plain(token.content)) : `\`${plain(token.content)}\``;
    case 'image': {
      const alt = plain(token.content);
      return alt + addressBeside(plain(token.attrGet('src') ?? ''), alt, style);
    }
    default:
      return plain(token.content);
  }
}

/** Once more after it was read: `&#13;` is a control character only now. */
function plain(text: string): string {
  return safe(text).replaceAll('\n', ' ');
}

function hrefOf(token: Token): string {
  return plain(token.attrGet('href') ?? '');
}

/** Where a link leads, unless its words say so themselves. */
function addressBeside(href: string, words: string, style: Style): string {
  const isSaid = [href, href.replace(/^mailto:/, ''), href.replace(/\/$/, '')].includes(words);
  return isSaid || href === '' ? '' : style.dim(` (${href})`);
}
