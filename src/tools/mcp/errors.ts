import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { serializeDuration } from '#contract/time';
import { truncateText } from '#core/json';
import { type McpEndpoint, STREAM_ENDED_CODE } from './transports';

const MAX_REASON_LENGTH = 1_000;

/** Connecting to a server failed. The message is the reason, worded as the end of a sentence. */
export class McpUnreachableError extends Error {}

/** Returns why a server cannot be used, worded as the end of a sentence. */
export function describeMcpError(error: unknown, endpoint: McpEndpoint, lastStderr: string): string {
  // Redact before truncating: half a secret would not be recognized.
  return truncateText(endpoint.redact(describeReason(error, endpoint, lastStderr)), MAX_REASON_LENGTH);
}

function describeReason(error: unknown, endpoint: McpEndpoint, lastStderr: string): string {
  const stderrNote = lastStderr && `; last output: ${lastStderr}`;
  if (isMcpTimeout(error)) return `it did not respond in time${stderrNote}`;
  if (isMcpClosed(error)) return `it exited${stderrNote}`;
  if (error instanceof SdkHttpError) return describeHttpError(error);
  const code = findSystemErrorCode(error);
  if (code === 'ENOENT' || code === 'EACCES') return `the program ${endpoint.name} could not be started (${code})`;
  if (code !== undefined) return `could not connect to ${endpoint.name} (${code})`;
  const { cause } = Object(error) as { cause?: unknown };
  return cause === undefined ? readErrorMessage(error) : `${readErrorMessage(error)}: ${readErrorMessage(cause)}`;
}

export function readErrorMessage(error: unknown): string {
  const { message } = Object(error) as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
}

function describeHttpError({ status, data }: SdkHttpError): string {
  if (status === 401 || status === 403)
    return `it rejected the credentials (HTTP ${status}); check the headers in the agent file`;
  const { text } = data;
  return `it responded HTTP ${status}${typeof text === 'string' && text ? `: ${text}` : ''}`;
}

export function isMcpTimeout(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

/** Whether the program exited or the connection is closed. */
export function isMcpClosed(error: unknown): boolean {
  if (error instanceof SdkError)
    return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected;
  return isDisconnected(error);
}

/** The official client throws a plain error for this. */
function isDisconnected(error: unknown): boolean {
  return error instanceof Error && error.message === 'Not connected';
}

const SYSTEM_ERROR_CODE = /^(E[A-Z]+|UND_ERR_[A-Z_]+)$/;

/** Finds the operating system's error code, which `fetch` wraps. */
function findSystemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] };
  if (typeof code === 'string' && SYSTEM_ERROR_CODE.test(code)) return code;
  return findSystemErrorCode(cause ?? errors?.[0]);
}

/**
 * Whether the server never received the call, or has forgotten its session (404). Then the call may be sent again. A
 * 400 proves that only if it is about the session: else the tool may have run, and answered it.
 */
export function isMcpUndelivered(error: unknown): boolean {
  if (error instanceof SdkHttpError)
    return error.status === 404 || (error.status === 400 && /session/i.test(describeHttpError(error)));
  return findSystemErrorCode(error) === 'ECONNREFUSED' || isDisconnected(error);
}

/** Whether the connection is unusable, such as for an expired session or a failed call. */
export function isMcpConnectionBroken(error: unknown): boolean {
  return error instanceof SdkHttpError || isMcpCallInterrupted(error);
}

/** Whether the connection broke during the call. */
function isMcpCallInterrupted(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === STREAM_ENDED_CODE;
  return isMcpClosed(error) || findSystemErrorCode(error) !== undefined;
}

export interface McpCallFailure {
  server: string;
  tool: string;
  timeout: number;
  reason: string;
}

/** Explains a failed call and what to do next, in a sentence for the model. */
export function explainMcpFailure(error: unknown, { server, tool, timeout, reason }: McpCallFailure): string {
  if (error instanceof McpUnreachableError) {
    return `Not run: the MCP server "${server}" can't be reached: ${reason}. Continue without it, or try again later.`;
  }
  if (isMcpTimeout(error)) {
    return `${tool} returned no result within ${serializeDuration(timeout)} and was cancelled. It may have partly run: check before you call it again, or continue without it.`;
  }
  if (isMcpCallInterrupted(error)) {
    return `The connection to the MCP server "${server}" broke while ${tool} was running: ${reason}. It may have partly run: check before you call it again.`;
  }
  if (error instanceof ProtocolError && error.code === ProtocolErrorCode.InvalidParams) {
    return `The MCP server "${server}" rejected the call to ${tool}: ${reason}. Fix the arguments and call again.`;
  }
  return `The call to ${tool} failed on the MCP server "${server}": ${reason}. Try something else, or continue without it.`;
}
