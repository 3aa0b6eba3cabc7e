import { STATUS_CODES } from 'node:http';
import type { TimelineEntry } from '#contract/timeline';
import { parseStoredResult } from '#core/tools/stored-result';
import type { TextStyle } from './colors';
import { sanitizeLine } from './sanitize';
import { clipText, displayWidth } from './text';

export type ToolTimelineEntry = Extract<TimelineEntry, { kind: 'tool' }>;

const MIN_ROOM = 8;

/** A tool that was used, on one line: with what, and what came of it. */
export function renderToolLine(entry: ToolTimelineEntry, width: number, style: TextStyle): string {
  const { name, input, result, error } = entry;
  const kept = storedResultOf(entry);
  const called = clipText(sanitizeLine(name), width - 2);
  const said = kept ? summarizeStoredResult(kept) : undefined;
  const came = sanitizeLine(
    error === undefined ? (said ?? summarizeToolResult(result ?? '')) : `failed: ${said ?? error}`,
  );
  let room = width - displayWidth(`⏺ ${called}`);
  const given = fitText(
    sanitizeLine(summarizeToolInput(input)),
    came === '' ? room - 1 : Math.max(room >> 1, room - 4 - displayWidth(came)),
  );
  room -= given === '' ? 0 : displayWidth(given) + 1;
  const outcome = fitText(came, room - 3);
  const paint = error === undefined ? style.dim : style.bad;
  return [
    `${paint('⏺')} ${style.bold(called)}`,
    given,
    ...(outcome === '' ? [] : [style.dim('→'), error === undefined ? outcome : style.bad(outcome)]),
  ]
    .filter(Boolean)
    .join(' ');
}

function fitText(text: string, room: number): string {
  return room < MIN_ROOM && displayWidth(text) > room ? '' : clipText(text, room);
}

/** What it was given, as far as one line tells it. */
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

/** More of a result is of no use on one line. */
const MAX_RESULT_CHARACTERS = 2_000;

function summarizeStoredResult({ length, shown }: NonNullable<ReturnType<typeof parseStoredResult>>): string {
  return `${length.toLocaleString('en')} characters: ${shown.slice(0, MAX_RESULT_CHARACTERS)}`;
}

/** All of what came of it is elsewhere. */
export function storedResultOf({ result, error }: ToolTimelineEntry): ReturnType<typeof parseStoredResult> {
  return parseStoredResult(error ?? result ?? '');
}

function summarizeToolResult(result: string): string {
  return summarizeHttpResult(result) ?? result.slice(0, MAX_RESULT_CHARACTERS);
}

function summarizeHttpResult(result: string): string | undefined {
  if (!result.startsWith('{"status":')) return undefined;
  try {
    const { status, body } = JSON.parse(result) as { status: number; body?: unknown };
    const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
    return [status, STATUS_CODES[status], formatSize(Buffer.byteLength(text))].filter(Boolean).join(' ');
  } catch {
    return undefined;
  }
}

function formatSize(bytes: number): string {
  if (bytes === 0) return '';
  return bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} KB`;
}
