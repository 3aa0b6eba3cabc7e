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
import { isJsonObject } from '#core/json';

/** An agent file, parsed: the front matter as plain data, and the text below it. */
export interface FrontMatter {
  /** `undefined` if it cannot be parsed. */
  value: unknown;
  prompt: string;
  /** Returns the line of a field in the file; for a missing field, the line of its closest parent. */
  lineOf(path: PropertyKey[]): number;
  /** The line where the prompt begins, or should begin. */
  promptLine: number;
  /** Syntax errors in the front matter. */
  issues: { line: number; message: string }[];
}

const FRONT_MATTER_PATTERN = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n([\s\S]*))?$/;

/** Explains why text is not an agent file, for example because the front matter is never closed. */
export function explainMissingFrontMatter(text: string): string {
  const [firstLine = '', ...otherLines] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (/^---[ \t]*$/.test(firstLine))
    return 'the front matter that starts at line 1 is not closed: add a line of --- below it';
  const isNear =
    /^\s*-{2,}\s*$/.test(firstLine) || (firstLine.trim() === '' && /^\s*-{2,}/.test(otherLines.join('\n')));
  if (isNear) return 'the first line must be exactly ---';
  return 'must start with front matter: name and description between two lines of ---';
}

/** Parses the front matter between two lines of `---`, and the prompt below it. */
export function parseFrontMatter(text: string): FrontMatter | undefined {
  const [, yaml, body = ''] = FRONT_MATTER_PATTERN.exec(text) ?? [];
  if (yaml === undefined) return undefined;
  const lineCounter = new LineCounter();
  const document = parseDocument(yaml, { lineCounter, logLevel: 'error' });
  // The opening `---` line is not part of the YAML text.
  const lineAt = (offset: number) => lineCounter.linePos(offset).line + 1;
  const danglingAliases = findDanglingAliases(document);
  const issues = firstIssuePerLine([
    ...document.errors.map((error) => ({
      line: lineAt(error.pos[0]),
      message: isRunOnValue(error, document.errors) ? RUN_ON_MESSAGE : describeYamlError(error, yaml),
    })),
    ...danglingAliases.map(({ source, range }) => ({
      line: lineAt(range?.[0] ?? 0),
      message: `unknown alias *${source}; to start a value with *, put it in quotes`,
    })),
  ]);
  const isReadable = document.errors.every(({ code }) => code === DUPLICATE_KEY) && danglingAliases.length === 0;
  return {
    value: isReadable ? toPlainValue(document, issues) : undefined,
    prompt: body.trim(),
    lineOf: (path) => lineAt(findOffset(document, path) ?? -1),
    promptLine: text.split('\n').length - body.split('\n').length + 1 + countLeadingBlankLines(body),
    issues,
  };
}

/** Keeps one issue per line: the others on that line usually follow from the first. */
function firstIssuePerLine(issues: FrontMatter['issues']): FrontMatter['issues'] {
  return issues.filter(({ line }, index) => issues.findIndex((other) => other.line === line) === index);
}

function countLeadingBlankLines(body: string): number {
  return body.trim() === '' ? 0 : (/^\s*/.exec(body)?.[0].split('\n').length ?? 1) - 1;
}

function toPlainValue(document: Document, issues: FrontMatter['issues']): unknown {
  try {
    // `toJS` returns null if there are only comments.
    return document.toJS() ?? {};
  } catch {
    issues.push({
      line: 1,
      message: 'aliases expand to too many values; write the values out',
    });
    return undefined;
  }
}

/** Finds aliases without an anchor. The parser accepts them, but reading the value would throw. */
function findDanglingAliases(document: Document): Alias[] {
  const dangling: Alias[] = [];
  visit(document, { Alias: (_key, alias) => void (alias.resolve(document) ?? dangling.push(alias)) });
  return dangling;
}

/** Returns the text offset of the deepest node on the path that exists. */
function findOffset(document: Document, path: PropertyKey[]): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const segment of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isSeq(node)) {
      node = node.items[Number(segment)];
      offset = (node as { range?: [number] } | undefined)?.range?.[0] ?? offset;
    } else if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(segment));
      offset = (pair?.key as { range?: [number] } | undefined)?.range?.[0] ?? offset;
      node = pair?.value;
    } else return offset;
  }
  return offset;
}

/** The only error after which the rest can still be read. */
const DUPLICATE_KEY = 'DUPLICATE_KEY';

/** Replaces the parser's messages, which assume knowledge of the YAML grammar. */
const YAML_ERROR_MESSAGES: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'put a value that starts with * in quotes',
  BAD_INDENT: 'the indentation does not match the lines above, or a bracket is not closed',
  BAD_SCALAR_START: 'put a value that starts with @, ` or % in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'put a value that contains a colon in quotes, such as "Note: this"',
  MULTIPLE_DOCS: 'the front matter must be a single YAML document',
  TAB_AS_INDENT: 'indent with spaces; tabs are not allowed',
};

const RUN_ON_MESSAGE =
  'the next line is indented too far; if it is part of this value, put the value in quotes, since it contains a colon';

/** Recognizes a next line that the parser reads as part of this value. It reports two errors at one position. */
function isRunOnValue({ code, message, pos }: YAMLError, errors: YAMLError[]): boolean {
  const isNested = code === 'BLOCK_AS_IMPLICIT_KEY' && message.startsWith('Nested');
  return isNested && errors.some((other) => other.code === 'MULTILINE_IMPLICIT_KEY' && other.pos[0] === pos[0]);
}

function describeYamlError({ code, message, pos }: YAMLError, yaml: string): string {
  if (code === DUPLICATE_KEY) return `duplicate key ${/^[^:\s]*/.exec(yaml.slice(pos[0]))}`;
  if (message.startsWith('A block sequence')) return YAML_ERROR_MESSAGES.BAD_INDENT ?? '';
  const knownMessage = YAML_ERROR_MESSAGES[code];
  if (knownMessage) return knownMessage;
  if (message.includes('closing')) return 'a quote is not closed';
  if (message.includes('map values') || code === 'MULTILINE_IMPLICIT_KEY') return 'expected key: value';
  const before = yaml.slice(yaml.lastIndexOf('\n', pos[0] - 1) + 1, pos[0]);
  if (/["']/.test(before)) return `the quote ends before the value does; write "it's" or 'it''s'`;
  return 'invalid YAML; put a value that contains quotes, brackets or colons in quotes';
}

/** Returns a field of a map; `undefined` if the value is not a map. */
export function getYamlField(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Returns the items of a list; empty if the value is not a list. */
export function getYamlList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
