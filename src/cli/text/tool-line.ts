import { STATUS_CODES } from 'node:http';
import type { Entry } from '#contract/entry';
import { keptIn } from '#core/kept-result';
import { safeLine } from './safe';
import type { Style } from './style';
import { clip, widthOf } from './wrap';

export type ToolEntry = Extract<Entry, { kind: 'tool' }>;

const LEAST = 8;

/** A tool that was used, on one line: with what, and what came of it. */
export function toolLine(entry: ToolEntry, width: number, style: Style): string {
  const { name, input, result, error } = entry;
  const kept = keptOf(entry);
  const called = clip(safeLine(name), width - 2);
  const said = kept ? keptGist(kept) : undefined;
  const came = safeLine(
    error === undefined ? (said ?? resultGist(result ?? '')) : `failed: ${said ?? error}`,
  );
  let room = width - widthOf(`⏺ ${called}`);
  const given = fitted(
    safeLine(inputGist(input)),
    came === '' ? room - 1 : Math.max(room >> 1, room - 4 - widthOf(came)),
  );
  room -= given === '' ? 0 : widthOf(given) + 1;
  const outcome = fitted(came, room - 3);
  const paint = error === undefined ? style.dim : style.bad;
  return [
    `${paint('⏺')} ${style.bold(called)}`,
    given,
    ...(outcome === '' ? [] : [style.dim('→'), error === undefined ? outcome : style.bad(outcome)]),
  ]
    .filter(Boolean)
    .join(' ');
}

function fitted(text: string, room: number): string {
  return room < LEAST && widthOf(text) > room ? '' : clip(text, room);
}

/** What it was given, as far as one line tells it. */
function inputGist(input: unknown): string {
  if (typeof input !== 'object' || input === null)
    return typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
  const { url, method = 'GET' } = input as { url?: unknown; method?: unknown };
  if (typeof url === 'string') return `${method} ${url}`;
  const values = Object.values(input);
  if (values.length === 0) return '';
  const isShort =
    values.length <= 2 && values.every((value) => typeof value === 'string' || typeof value === 'number');
  return isShort ? values.join(' ') : JSON.stringify(input);
}

/** More of a result is of no use on one line. */
const LONGEST = 2_000;

function keptGist({ length, shown }: NonNullable<ReturnType<typeof keptIn>>): string {
  return `${length.toLocaleString('en')} characters: ${shown.slice(0, LONGEST)}`;
}

/** All of what came of it is elsewhere. */
export function keptOf({ result, error }: ToolEntry): ReturnType<typeof keptIn> {
  return keptIn(error ?? result ?? '');
}

function resultGist(result: string): string {
  return httpGist(result) ?? result.slice(0, LONGEST);
}

function httpGist(result: string): string | undefined {
  if (!result.startsWith('{"status":')) return undefined;
  try {
    const { status, body } = JSON.parse(result) as { status: number; body?: unknown };
    const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
    return [status, STATUS_CODES[status], sizeText(Buffer.byteLength(text))].filter(Boolean).join(' ');
  } catch {
    return undefined;
  }
}

function sizeText(bytes: number): string {
  if (bytes === 0) return '';
  return bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} KB`;
}
