import type { Token } from 'markdown-it';
import MarkdownIt from 'markdown-it';
import type { TextStyle } from './colors';
import { sanitizeText } from './sanitize';
import { displayWidth, hardWrapText, padToWidth, wrapText } from './text';

/** A piece of a text that stays as it is, whatever is written after the piece that follows it. */
export interface MarkdownPart {
  /** What it was written as. */
  source: string;
  /** The line on which the block that it belongs to begins, from 0. */
  begins: number;
  lines(width: number, style: TextStyle): string[];
}

/** Markdown as lines for a screen of that width. */
export function renderMarkdownLines(text: string, width: number, style: TextStyle): string[] {
  return parseMarkdownParts(text).flatMap((part) => part.lines(width, style));
}

/** The same in pieces: blocks, the items of a list, the lines of code. Those of a text that goes on stand apart from it. */
export function parseMarkdownParts(text: string, goesOn = false): MarkdownPart[] {
  const source = sanitizeText(text.replaceAll('\t', '    '));
  const lines = source.split('\n');
  const blocks = parseMarkdownBlocks(source);
  return blocks.flatMap((block, index) => blockParts(block, lines, index === 0 && !goesOn));
}

function blockParts(block: MarkdownBlock, source: readonly string[], isFirst: boolean): MarkdownPart[] {
  const { token, children } = block;
  const part = ({ map }: Token, draw: MarkdownPart['lines'], isBegun = false): MarkdownPart => ({
    source: source
      .slice(...(map ?? []))
      .join('\n')
      .trimEnd(),
    begins: token.map?.[0] ?? 0,
    lines: (width, style) => [...(isFirst || isBegun ? [] : ['']), ...draw(width, style)],
  });
  if (isList(token))
    return children.map((item, at) => part(item.token, (width, style) => itemLines(block, at, width, style), at > 0));
  if (!isCode(token)) return [part(token, (width, style) => blockLines(block, width, style))];
  return codeContent(token).map((line, at) => ({
    ...part(token, (width, style) => codeLines(line, width, style), at > 0),
    source: line,
  }));
}

const isList = ({ type }: Token) => type === 'bullet_list_open' || type === 'ordered_list_open';
const isCode = ({ type }: Token) => type === 'fence' || type === 'code_block';

function blockLines(block: MarkdownBlock, width: number, style: TextStyle): string[] {
  const { token, children } = block;
  switch (token.type) {
    case 'paragraph_open':
      return paragraphLines(children, width, style);
    case 'heading_open':
      return paragraphLines(children, width, style, style.bold);
    case 'hr':
      return [style.dim('─'.repeat(Math.min(width, 40)))];
    case 'blockquote_open':
      return prefixLines(style.dim('│ '), style.dim('│ '), width, (room) => blockFlow(children, room, style));
    case 'table_open':
      return renderMarkdownTable(readTableCells(block, style), width, style);
    case 'fence':
    case 'code_block':
      return codeContent(token).flatMap((line) => codeLines(line, width, style));
    default:
      return isList(token) ? children.flatMap((_, at) => itemLines(block, at, width, style)) : [];
  }
}

/** Blocks below one another. What is listed belongs to the words before it. */
function blockFlow(blocks: readonly MarkdownBlock[], width: number, style: TextStyle): string[] {
  return blocks.flatMap((block, index) => {
    const isApart = index > 0 && !isList(block.token);
    return [...(isApart ? [''] : []), ...blockLines(block, width, style)];
  });
}

function paragraphLines(
  children: readonly MarkdownBlock[],
  width: number,
  style: TextStyle,
  paint = (text: string) => text,
): string[] {
  const text = children.map(({ token }) => renderInlineTokens(token.children ?? [], style)).join('');
  return wrapText(paint(text), width);
}

function itemLines({ token, children }: MarkdownBlock, at: number, width: number, style: TextStyle): string[] {
  const item = children[at];
  const marker = token.type === 'ordered_list_open' ? `${itemNumber(token, at)}. ` : '• ';
  const lines = prefixLines(marker, ' '.repeat(marker.length), width, (room) =>
    blockFlow(item?.children ?? [], room, style),
  );
  return lines.length > 0 ? lines : [marker.trimEnd()];
}

function itemNumber(list: Token, at: number): number {
  return Number(list.attrGet('start') ?? 1) + at;
}

/** Less room than this is for words only. */
const MIN_WIDTH = 8;

function prefixLines(first: string, rest: string, width: number, draw: (room: number) => string[]): string[] {
  const room = width - displayWidth(first);
  if (room < MIN_WIDTH) return draw(width);
  return draw(room).map((line, index) =>
    (line === '' && index > 0 ? rest : (index === 0 ? first : rest) + line).trimEnd(),
  );
}

function codeContent({ content }: Token): string[] {
  return content.replace(/\n$/, '').split('\n');
}

const CODE_INDENT = '  ';

function codeLines(line: string, width: number, style: TextStyle): string[] {
  return hardWrapText(sanitizeText(line), width - CODE_INDENT.length).map((one) =>
    one === '' ? '' : CODE_INDENT + style.code(one),
  );
}

function readTableCells({ children }: MarkdownBlock, style: TextStyle) {
  const rows = children.flatMap((section) =>
    section.children.map((row) => row.children.map((cell) => cellText(cell, style))),
  );
  const isRight = (children[0]?.children[0]?.children ?? []).map(({ token }) =>
    String(token.attrGet('style')).endsWith('right'),
  );
  return { head: rows[0] ?? [], rows: rows.slice(1), isRight };
}

function cellText({ children }: MarkdownBlock, style: TextStyle): string {
  return children
    .map(({ token }) => renderInlineTokens(token.children ?? [], style))
    .join('')
    .replaceAll('\n', ' ');
}

const SAFE_PROTOCOLS = new Set(['http:', 'https:', 'mailto:']);

const markdownParser = createMarkdownParser();

function createMarkdownParser(): MarkdownIt {
  // What a reference leads to may be written last, when the words that refer to it are long on the screen.
  const made = new MarkdownIt({ html: false, linkify: false }).disable('reference');
  made.validateLink = (url) => URL.canParse(url) && SAFE_PROTOCOLS.has(new URL(url).protocol);
  return made;
}

/** A block of Markdown with those inside it. */
interface MarkdownBlock {
  token: Token;
  children: MarkdownBlock[];
}

function parseMarkdownBlocks(source: string): MarkdownBlock[] {
  const root: MarkdownBlock[] = [];
  const open = [root];
  for (const token of markdownParser.parse(source, {})) {
    if (token.nesting < 0) open.pop();
    else {
      const block: MarkdownBlock = { token, children: [] };
      open.at(-1)?.push(block);
      if (token.nesting > 0) open.push(block.children);
    }
  }
  return root;
}

type PaintFunction = (text: string) => string;

/** The words of a paragraph, a heading or a cell, with hard breaks as they are. */
function renderInlineTokens(tokens: readonly Token[], style: TextStyle): string {
  const paints: PaintFunction[] = [];
  const links: { href: string; from: number }[] = [];
  let said = '';
  const add = (text: string) => {
    said += paints.reduceRight((painted, paint) => paint(painted), text);
  };
  for (const token of tokens) {
    if (token.type === 'link_open') links.push({ href: linkAddress(token), from: said.length });
    else if (token.type === 'link_close') {
      const link = links.pop();
      if (link) add(linkSuffix(link.href, said.slice(link.from), style));
    } else if (token.nesting > 0) paints.push(inlinePaint(token, style));
    else if (token.nesting < 0) paints.pop();
    else add(inlineTokenText(token, style));
    if (token.type === 's_open' || token.type === 's_close') add('~~');
  }
  return said;
}

function inlinePaint({ type }: Token, style: TextStyle): PaintFunction {
  if (type === 'strong_open') return style.bold;
  return type === 'em_open' ? style.italic : (text) => text;
}

function inlineTokenText(token: Token, style: TextStyle): string {
  switch (token.type) {
    case 'softbreak':
      return ' ';
    case 'hardbreak':
      return '\n';
    case 'code_inline':
      return style.isColored ? style.code(plainInlineText(token.content)) : `\`${plainInlineText(token.content)}\``;
    case 'image': {
      const alt = plainInlineText(token.content);
      return alt + linkSuffix(plainInlineText(token.attrGet('src') ?? ''), alt, style);
    }
    default:
      return plainInlineText(token.content);
  }
}

/** Once more after it was read: `&#13;` is a control character only now. */
function plainInlineText(text: string): string {
  return sanitizeText(text).replaceAll('\n', ' ');
}

function linkAddress(token: Token): string {
  return plainInlineText(token.attrGet('href') ?? '');
}

/** Where a link leads, unless its words say so themselves. */
function linkSuffix(href: string, words: string, style: TextStyle): string {
  const isSaid = [href, href.replace(/^mailto:/, ''), href.replace(/\/$/, '')].includes(words);
  return isSaid || href === '' ? '' : style.dim(` (${href})`);
}

export interface MarkdownTable {
  head: string[];
  rows: string[][];
  isRight: boolean[];
}

const CELL_GAP = '  ';

/** In columns, or where they do not fit, each row as a few lines that say what is what. */
function renderMarkdownTable({ head, rows, isRight }: MarkdownTable, width: number, style: TextStyle): string[] {
  const widths = head.map((_, index) => Math.max(...[head, ...rows].map((row) => displayWidth(row[index] ?? ''))));
  const total = widths.reduce((sum, one) => sum + one, 0) + CELL_GAP.length * (widths.length - 1);
  if (total > width) return stackedRows(head, rows, width, style);
  const line = (row: string[]) =>
    widths
      .map((room, index) => (isRight[index] ? padLeft : padToWidth)(row[index] ?? '', room))
      .join(CELL_GAP)
      .trimEnd();
  return [
    line(head.map(style.bold)),
    style.dim(widths.map((room) => '─'.repeat(room)).join(CELL_GAP)),
    ...rows.map(line),
  ];
}

function padLeft(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text))) + text;
}

function stackedRows(head: string[], rows: string[][], width: number, style: TextStyle): string[] {
  return rows.flatMap((row, at) => [
    ...(at > 0 ? [''] : []),
    ...row.flatMap((cell, index) => wrapText(`${style.bold(`${head[index] ?? ''}:`)} ${cell}`, width)),
  ]);
}
