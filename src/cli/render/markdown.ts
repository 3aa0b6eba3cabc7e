import type { Token } from 'markdown-it';
import MarkdownIt from 'markdown-it';
import type { TextStyle } from './colors';
import { sanitizeText } from './sanitize';
import { displayWidth, hardWrapText, padToWidth, wrapText } from './text';

/** A block of a text, such as a paragraph or a list. */
export interface MarkdownPart {
  /** Its first line in the source, zero-based. */
  startLine: number;
  lines(width: number, style: TextStyle): string[];
}

/** Renders Markdown as lines of the given width. */
export function renderMarkdownLines(text: string, width: number, style: TextStyle): string[] {
  return parseMarkdownParts(text).flatMap((part) => part.lines(width, style));
}

/** Splits Markdown into blocks. A continuation starts after a blank line. */
export function parseMarkdownParts(text: string, isContinuation = false): MarkdownPart[] {
  const blocks = parseMarkdownBlocks(sanitizeText(text.replaceAll('\t', '    ')));
  return blocks.map((block, index) => ({
    startLine: block.token.map?.[0] ?? 0,
    lines: (width, style) => [...(index > 0 || isContinuation ? [''] : []), ...blockLines(block, width, style)],
  }));
}

const isList = ({ type }: Token) => type === 'bullet_list_open' || type === 'ordered_list_open';

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
      return prefixLines(style.dim('│ '), style.dim('│ '), width, (innerWidth) =>
        blockFlow(children, innerWidth, style),
      );
    case 'table_open':
      return renderMarkdownTable(readTableCells(block, style), width, style);
    case 'fence':
    case 'code_block':
      return codeLines(token, width, style);
    default:
      return isList(token) ? children.flatMap((_, index) => itemLines(block, index, width, style)) : [];
  }
}

/** Renders blocks one after another. A list follows the preceding text without a blank line. */
function blockFlow(blocks: readonly MarkdownBlock[], width: number, style: TextStyle): string[] {
  return blocks.flatMap((block, index) => {
    const needsBlankLine = index > 0 && !isList(block.token);
    return [...(needsBlankLine ? [''] : []), ...blockLines(block, width, style)];
  });
}

function paragraphLines(
  children: readonly MarkdownBlock[],
  width: number,
  style: TextStyle,
  color = (text: string) => text,
): string[] {
  const text = children.map(({ token }) => renderInlineTokens(token.children ?? [], style)).join('');
  return wrapText(color(text), width);
}

function itemLines({ token, children }: MarkdownBlock, index: number, width: number, style: TextStyle): string[] {
  const item = children[index];
  const number = Number(token.attrGet('start') ?? 1) + index;
  const marker = token.type === 'ordered_list_open' ? `${number}. ` : '• ';
  const lines = prefixLines(marker, ' '.repeat(marker.length), width, (innerWidth) =>
    blockFlow(item?.children ?? [], innerWidth, style),
  );
  return lines.length > 0 ? lines : [marker.trimEnd()];
}

/** Below this width, prefixes are left out. */
const MIN_WIDTH = 8;

function prefixLines(first: string, rest: string, width: number, render: (innerWidth: number) => string[]): string[] {
  const innerWidth = width - displayWidth(first);
  if (innerWidth < MIN_WIDTH) return render(width);
  return render(innerWidth).map((line, index) =>
    (line === '' && index > 0 ? rest : (index === 0 ? first : rest) + line).trimEnd(),
  );
}

const CODE_INDENT = '  ';

function codeLines({ content }: Token, width: number, style: TextStyle): string[] {
  const code = sanitizeText(content).replace(/\n$/, '');
  return hardWrapText(code, width - CODE_INDENT.length).map((line) =>
    line === '' ? '' : CODE_INDENT + style.code(line),
  );
}

function readTableCells({ children }: MarkdownBlock, style: TextStyle): MarkdownTable {
  const rows = children.flatMap((section) =>
    section.children.map((row) => row.children.map((cell) => cellText(cell, style))),
  );
  const isRightAligned = (children[0]?.children[0]?.children ?? []).map(({ token }) =>
    String(token.attrGet('style')).endsWith('right'),
  );
  return { header: rows[0] ?? [], rows: rows.slice(1), isRightAligned };
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
  // A reference may be defined at the end, long after the text that uses it is on the screen.
  const parser = new MarkdownIt({ html: false, linkify: false }).disable('reference');
  parser.validateLink = (url) => URL.canParse(url) && SAFE_PROTOCOLS.has(new URL(url).protocol);
  return parser;
}

/** A block of Markdown and its nested blocks. */
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

type ColorFunction = (text: string) => string;

/** Renders the inline text of a paragraph, heading or cell, preserving hard breaks. */
function renderInlineTokens(tokens: readonly Token[], style: TextStyle): string {
  const colors: ColorFunction[] = [];
  const links: { href: string; from: number }[] = [];
  let rendered = '';
  const append = (text: string) => {
    rendered += colors.reduceRight((styled, color) => color(styled), text);
  };
  for (const token of tokens) {
    if (token.type === 'link_open')
      links.push({ href: plainInlineText(token.attrGet('href') ?? ''), from: rendered.length });
    else if (token.type === 'link_close') {
      const link = links.pop();
      if (link) append(linkSuffix(link.href, rendered.slice(link.from), style));
    } else if (token.nesting > 0) colors.push(inlineColor(token, style));
    else if (token.nesting < 0) colors.pop();
    else append(inlineTokenText(token, style));
    if (token.type === 's_open' || token.type === 's_close') append('~~');
  }
  return rendered;
}

function inlineColor({ type }: Token, style: TextStyle): ColorFunction {
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

/** Sanitizes again after parsing, because `&#13;` becomes a control character only then. */
function plainInlineText(text: string): string {
  return sanitizeText(text).replaceAll('\n', ' ');
}

/** Returns the address of a link, unless the link text already shows it. */
function linkSuffix(href: string, linkText: string, style: TextStyle): string {
  const isInText = [href, href.replace(/^mailto:/, ''), href.replace(/\/$/, '')].includes(linkText);
  return isInText || href === '' ? '' : style.dim(` (${href})`);
}

interface MarkdownTable {
  header: string[];
  rows: string[][];
  isRightAligned: boolean[];
}

const CELL_GAP = '  ';

/** Renders a table in columns, or each row as labelled lines if the columns do not fit. */
function renderMarkdownTable(
  { header, rows, isRightAligned }: MarkdownTable,
  width: number,
  style: TextStyle,
): string[] {
  const widths = header.map((_, index) => Math.max(...[header, ...rows].map((row) => displayWidth(row[index] ?? ''))));
  const total = widths.reduce((sum, columnWidth) => sum + columnWidth, 0) + CELL_GAP.length * (widths.length - 1);
  if (total > width) return stackedRows(header, rows, width, style);
  const line = (row: string[]) =>
    widths
      .map((columnWidth, index) => (isRightAligned[index] ? padLeft : padToWidth)(row[index] ?? '', columnWidth))
      .join(CELL_GAP)
      .trimEnd();
  return [
    line(header.map(style.bold)),
    style.dim(widths.map((columnWidth) => '─'.repeat(columnWidth)).join(CELL_GAP)),
    ...rows.map(line),
  ];
}

function padLeft(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text))) + text;
}

function stackedRows(header: string[], rows: string[][], width: number, style: TextStyle): string[] {
  return rows.flatMap((row, rowIndex) => [
    ...(rowIndex > 0 ? [''] : []),
    ...row.flatMap((cell, index) => wrapText(`${style.bold(`${header[index] ?? ''}:`)} ${cell}`, width)),
  ]);
}
