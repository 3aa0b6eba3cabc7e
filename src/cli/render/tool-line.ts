import { STATUS_CODES } from 'node:http';
import type { TimelineEntry } from '#contract/timeline';
import { parseJson } from '#core/json';
import { parseStoredResult } from '#core/tools/stored-result-marker';
import type { TextStyle } from './colors';
import { sanitizeLine } from './sanitize';
import { clipText, displayWidth } from './text';

export type ToolTimelineEntry = Extract<TimelineEntry, { kind: 'tool' }>;

const MIN_ROOM = 8;

/** Renders a tool call on one line, with its input and result. */
export function renderToolLine(entry: ToolTimelineEntry, width: number, style: TextStyle): string {
  const { name, input, result, error } = entry;
  const stored = storedResultOf(entry);
  const toolName = clipText(sanitizeLine(name), width - 2);
  const storedSummary = stored ? summarizeStoredResult(stored) : undefined;
  const outcomeText = sanitizeLine(
    error === undefined ? (storedSummary ?? summarizeToolResult(result ?? '')) : `failed: ${storedSummary ?? error}`,
  );
  let available = width - displayWidth(`⏺ ${toolName}`);
  const inputText = fitText(
    sanitizeLine(summarizeToolInput(input)),
    outcomeText === '' ? available - 1 : Math.max(available >> 1, available - 4 - displayWidth(outcomeText)),
  );
  available -= inputText === '' ? 0 : displayWidth(inputText) + 1;
  const outcome = fitText(outcomeText, available - 3);
  const color = error === undefined ? style.dim : style.bad;
  return [
    `${color('⏺')} ${style.bold(toolName)}`,
    inputText,
    ...(outcome === '' ? [] : [style.dim('→'), error === undefined ? outcome : style.bad(outcome)]),
  ]
    .filter(Boolean)
    .join(' ');
}

function fitText(text: string, available: number): string {
  return available < MIN_ROOM && displayWidth(text) > available ? '' : clipText(text, available);
}

/** Summarizes the input for one line. */
function summarizeToolInput(input: unknown): string {
  if (typeof input !== 'object' || input === null)
    return typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
  const { url, method = 'GET' } = input as { url?: unknown; method?: unknown };
  if (typeof url === 'string') return `${method} ${url}`;
  const values = Object.values(input);
  if (values.length === 0) return '';
  const isShort = values.length <= 2 && values.every((value) => typeof value === 'string' || typeof value === 'number');
  return isShort ? values.join(' ') : JSON.stringify(input);
}

/** More of a result would never fit on one line. */
const MAX_RESULT_CHARACTERS = 2_000;

function summarizeStoredResult({ length, shown }: NonNullable<ReturnType<typeof parseStoredResult>>): string {
  return `${length.toLocaleString('en')} characters: ${shown.slice(0, MAX_RESULT_CHARACTERS)}`;
}

/** Returns the reference to a result that is stored elsewhere, if it is one. */
export function storedResultOf({ result, error }: ToolTimelineEntry): ReturnType<typeof parseStoredResult> {
  return parseStoredResult(error ?? result ?? '');
}

function summarizeToolResult(result: string): string {
  return summarizeHttpResult(result) ?? result.slice(0, MAX_RESULT_CHARACTERS);
}

function summarizeHttpResult(result: string): string | undefined {
  if (!result.startsWith('{"status":')) return undefined;
  const parsed = parseJson(result) as { status: number; body?: unknown } | undefined;
  if (!parsed) return undefined;
  const { status, body } = parsed;
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  return [status, STATUS_CODES[status], formatSize(Buffer.byteLength(text))].filter(Boolean).join(' ');
}

function formatSize(bytes: number): string {
  if (bytes === 0) return '';
  return bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} KB`;
}
