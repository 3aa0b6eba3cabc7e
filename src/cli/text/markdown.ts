import type { Token } from 'markdown-it';
import { inlineText } from './inline';
import { type Block, blocksIn } from './markdown-blocks';
import { tableLines } from './markdown-table';
import { safe } from './safe';
import type { Style } from './style';
import { cut, widthOf, wrap } from './wrap';

/** A piece of a text that stays as it is, whatever is written after the piece that follows it. */
export interface Part {
  /** What it was written as. */
  source: string;
  /** The line on which the block that it belongs to begins, from 0. */
  begins: number;
  lines(width: number, style: Style): string[];
}

/** Markdown as lines for a screen of that width. */
export function markdownLines(text: string, width: number, style: Style): string[] {
  return markdownParts(text).flatMap((part) => part.lines(width, style));
}

/** The same in pieces: blocks, the items of a list, the lines of code. Those of a text that goes on stand apart from it. */
export function markdownParts(text: string, goesOn = false): Part[] {
  const source = safe(text.replaceAll('\t', '    '));
  const lines = source.split('\n');
  const blocks = blocksIn(source);
  return blocks.flatMap((block, index) => partsOf(block, lines, index === 0 && !goesOn));
}

function partsOf(block: Block, source: readonly string[], isFirst: boolean): Part[] {
  const { token, children } = block;
  const part = ({ map }: Token, draw: Part['lines'], isBegun = false): Part => ({
    source: source
      .slice(...(map ?? []))
      .join('\n')
      .trimEnd(),
    begins: token.map?.[0] ?? 0,
    lines: (width, style) => [...(isFirst || isBegun ? [] : ['']), ...draw(width, style)],
  });
  if (isList(token))
    return children.map((item, at) =>
      part(item.token, (width, style) => itemLines(block, at, width, style), at > 0),
    );
  if (!isCode(token)) return [part(token, (width, style) => blockLines(block, width, style))];
  return codeOf(token).map((line, at) => ({
    ...part(token, (width, style) => codeLines(line, width, style), at > 0),
    source: line,
  }));
}

const isList = ({ type }: Token) => type === 'bullet_list_open' || type === 'ordered_list_open';
const isCode = ({ type }: Token) => type === 'fence' || type === 'code_block';

function blockLines(block: Block, width: number, style: Style): string[] {
  const { token, children } = block;
  switch (token.type) {
    case 'paragraph_open':
      return words(children, width, style);
    case 'heading_open':
      return words(children, width, style, style.bold);
    case 'hr':
      return [style.dim('─'.repeat(Math.min(width, 40)))];
    case 'blockquote_open':
      return prefixed(style.dim('│ '), style.dim('│ '), width, (room) => flow(children, room, style));
    case 'table_open':
      return tableLines(cellsOf(block, style), width, style);
    case 'fence':
    case 'code_block':
      return codeOf(token).flatMap((line) => codeLines(line, width, style));
    default:
      return isList(token) ? children.flatMap((_, at) => itemLines(block, at, width, style)) : [];
  }
}

/** Blocks below one another. What is listed belongs to the words before it. */
function flow(blocks: readonly Block[], width: number, style: Style): string[] {
  return blocks.flatMap((block, index) => {
    const isApart = index > 0 && !isList(block.token);
    return [...(isApart ? [''] : []), ...blockLines(block, width, style)];
  });
}

function words(
  children: readonly Block[],
  width: number,
  style: Style,
  paint = (text: string) => text,
): string[] {
  const text = children.map(({ token }) => inlineText(token.children ?? [], style)).join('');
  return wrap(paint(text), width);
}

function itemLines({ token, children }: Block, at: number, width: number, style: Style): string[] {
  const item = children[at];
  const marker = token.type === 'ordered_list_open' ? `${numberOf(token, at)}. ` : '• ';
  const lines = prefixed(marker, ' '.repeat(marker.length), width, (room) =>
    flow(item?.children ?? [], room, style),
  );
  return lines.length > 0 ? lines : [marker.trimEnd()];
}

function numberOf(list: Token, at: number): number {
  return Number(list.attrGet('start') ?? 1) + at;
}

/** Less room than this is for words only. */
const LEAST = 8;

function prefixed(first: string, rest: string, width: number, draw: (room: number) => string[]): string[] {
  const room = width - widthOf(first);
  if (room < LEAST) return draw(width);
  return draw(room).map((line, index) =>
    (line === '' && index > 0 ? rest : (index === 0 ? first : rest) + line).trimEnd(),
  );
}

function codeOf({ content }: Token): string[] {
  return content.replace(/\n$/, '').split('\n');
}

const CODE_INDENT = '  ';

function codeLines(line: string, width: number, style: Style): string[] {
  return cut(safe(line), width - CODE_INDENT.length).map((one) =>
    one === '' ? '' : CODE_INDENT + style.code(one),
  );
}

function cellsOf({ children }: Block, style: Style) {
  const rows = children.flatMap((section) =>
    section.children.map((row) => row.children.map((cell) => cellText(cell, style))),
  );
  const isRight = (children[0]?.children[0]?.children ?? []).map(({ token }) =>
    String(token.attrGet('style')).endsWith('right'),
  );
  return { head: rows[0] ?? [], rows: rows.slice(1), isRight };
}

function cellText({ children }: Block, style: Style): string {
  return children
    .map(({ token }) => inlineText(token.children ?? [], style))
    .join('')
    .replaceAll('\n', ' ');
}
