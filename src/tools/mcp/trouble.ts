import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { clip } from '#core/json';
import { STREAM_ENDED } from './address';
import type { Place } from './place';

const REASON_LENGTH = 1_000;

/** No connection to a server could be had; the message is the reason, as the end of a sentence. */
export class Unreachable extends Error {}

/** Why a server cannot be used, as the end of a sentence. */
export function reasonOf(error: unknown, place: Place, lastWords: string): string {
  // Hidden first: half a secret would not be found.
  return clip(place.hide(reason(error, place, lastWords)), REASON_LENGTH);
}

function reason(error: unknown, place: Place, lastWords: string): string {
  const said = lastWords && `; it last said: ${lastWords}`;
  if (isTimeout(error)) return `it did not answer in time${said}`;
  if (isClosed(error)) return `it ended${said}`;
  if (error instanceof SdkHttpError) return httpReason(error);
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'EACCES') return `the program ${place.name} cannot be started (${code})`;
  if (code !== undefined) return `there is no connection to ${place.name} (${code})`;
  const { cause } = Object(error) as { cause?: unknown };
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageOf(cause)}`;
}

export function messageOf(error: unknown): string {
  const { message } = Object(error) as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
}

function httpReason({ status, data }: SdkHttpError): string {
  if (status === 401 || status === 403)
    return `it refused the credentials (HTTP ${status}); the headers in the agent's file may be wrong`;
  const { text } = data;
  return `it answered HTTP ${status}${typeof text === 'string' && text ? `: ${text}` : ''}`;
}

export function isTimeout(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

/** The program ended, or nobody is connected any more. */
export function isClosed(error: unknown): boolean {
  if (error instanceof SdkError)
    return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected;
  return isDisconnected(error);
}

/** The official client says this one with a plain error. */
function isDisconnected(error: unknown): boolean {
  return error instanceof Error && error.message === 'Not connected';
}

const SYSTEM = /^(E[A-Z]+|UND_ERR_[A-Z_]+)$/;

/** What the operating system says, which `fetch` wraps. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] };
  if (typeof code === 'string' && SYSTEM.test(code)) return code;
  return codeOf(cause ?? errors?.[0]);
}

/** The server has certainly not seen the call, or has forgotten the session it came in: it may be sent again. */
export function isUndelivered(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === 400 || error.status === 404;
  return codeOf(error) === 'ECONNREFUSED' || isDisconnected(error);
}

/** A session that is over or an address that is gone; a program that ended is known to have. */
export function isBroken(error: unknown): boolean {
  return error instanceof SdkHttpError || isCutOff(error);
}

/** The connection broke while the call ran. */
export function isCutOff(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === STREAM_ENDED;
  return isClosed(error) || codeOf(error) !== undefined;
}
