import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';

/** A file taken apart: the front matter as plain data, and the text below it. */
export interface FrontMatter {
  /** Undefined where it cannot be read. */
  value: unknown;
  prompt: string;
  /** The line of the file in which this stands; for what is missing, that of what should hold it. */
  lineOf(path: PropertyKey[]): number;
  /** The line where the prompt begins, or should. */
  promptLine: number;
  /** What makes it unreadable. */
  faults: { line: number; message: string }[];
}

const PARTS = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n([\s\S]*))?$/;

/** Front matter between two lines of `---`, then the prompt. */
export function readFrontMatter(text: string): FrontMatter | undefined {
  const [, matter, body = ''] = PARTS.exec(text) ?? [];
  if (matter === undefined) return undefined;
  const lines = new LineCounter();
  const document = parseDocument(matter, { lineCounter: lines, logLevel: 'error' });
  // The line of --- comes first.
  const lineAt = (offset: number) => lines.linePos(offset).line + 1;
  const dangling = danglingOf(document);
  const faults = oncePerLine([
    ...document.errors.map((error) => ({ line: lineAt(error.pos[0]), message: sentenceOf(error, matter) })),
    ...dangling.map(({ source, range }) => ({
      line: lineAt(range?.[0] ?? 0),
      message: `*${source} refers to nothing; put the value in quotes if it shall begin with *`,
    })),
  ]);
  const isReadable = document.errors.every(({ code }) => code === TWICE) && dangling.length === 0;
  return {
    value: isReadable ? readable(document, faults) : undefined,
    prompt: body.trim(),
    lineOf: (path) => lineAt(placeOf(document, path) ?? -1),
    promptLine: text.split('\n').length - body.split('\n').length + 1 + leadingBlankLines(body),
    faults,
  };
}

/** What follows from a slip on the same line is no slip of its own. */
function oncePerLine(faults: FrontMatter['faults']): FrontMatter['faults'] {
  return faults.filter(({ line }, at) => faults.findIndex((one) => one.line === line) === at);
}

function leadingBlankLines(body: string): number {
  return body.trim() === '' ? 0 : (/^\s*/.exec(body)?.[0].split('\n').length ?? 1) - 1;
}

function readable(document: Document, faults: FrontMatter['faults']): unknown {
  try {
    // Comments alone are no fields yet.
    return document.toJS() ?? {};
  } catch {
    faults.push({
      line: 1,
      message: 'refers to itself more often than can be followed; write the values out',
    });
    return undefined;
  }
}

/** The parser lets a reference to nothing pass; reading it would throw. */
function danglingOf(document: Document): Alias[] {
  const dangling: Alias[] = [];
  visit(document, { Alias: (_key, alias) => void (alias.resolve(document) ?? dangling.push(alias)) });
  return dangling;
}

/** Where in the text the deepest part of the path stands that there is. */
function placeOf(document: Document, path: PropertyKey[]): number | undefined {
  let node: unknown = document.contents;
  let place: number | undefined;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isSeq(node)) {
      node = node.items[Number(step)];
      place = (node as { range?: [number] } | undefined)?.range?.[0] ?? place;
    } else if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
      place = (pair?.key as { range?: [number] } | undefined)?.range?.[0] ?? place;
      node = pair?.value;
    } else return place;
  }
  return place;
}

/** The one fault that leaves the rest readable. */
const TWICE = 'DUPLICATE_KEY';

/** The parser's own words are for those who know its grammar. */
const SENTENCES: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'a value that begins with * needs quotes',
  BAD_INDENT: 'the indentation does not fit the lines above, or a bracket is never closed',
  BAD_SCALAR_START: 'a value that begins with @, ` or % needs quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'a value with a colon in it needs quotes, as in "Note: this"; what is below it must not be indented',
  MULTIPLE_DOCS:
    'the front matter ends here: there must be nothing between two lines of --- but one set of fields',
  TAB_AS_INDENT: 'indent with spaces: tabs are not allowed',
};

function sentenceOf({ code, message, pos }: YAMLError, matter: string): string {
  if (code === TWICE) return `${/^[^:\s]*/.exec(matter.slice(pos[0]))} is there twice; keys must be unique`;
  const known = SENTENCES[code];
  if (known) return known;
  const said = (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
  if (said.includes('closing')) return 'a quote is opened and never closed';
  if (said.includes('map values') || code === 'MULTILINE_IMPLICIT_KEY')
    return 'a line like this needs a colon: write key: value';
  return `this is not YAML (${said}); a value with quotes, brackets or colons in it needs quotes around all of it`;
}
