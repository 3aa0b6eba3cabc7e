import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { writeDuration } from '#contract/duration';
import { isCutOff, isTimeout, Unreachable } from './trouble';

export interface Failure {
  server: string;
  tool: string;
  timeout: number;
  reason: string;
}

/** What went wrong with a call, and what to do now: a sentence for the model. */
export function explain(error: unknown, { server, tool, timeout, reason }: Failure): string {
  if (error instanceof Unreachable) {
    return `Not run: the MCP server "${server}" can't be reached: ${reason}. Go on without it, or try again later.`;
  }
  if (isTimeout(error)) {
    return `${tool} gave no result within ${writeDuration(timeout)} and was cancelled; it may have run in part. Check that before you call it again, or go on without it.`;
  }
  if (isCutOff(error)) {
    return `The connection to the MCP server "${server}" broke while ${tool} ran: ${reason}. It may have run in part: check that before you call it again.`;
  }
  if (error instanceof ProtocolError && error.code === ProtocolErrorCode.InvalidParams) {
    return `The MCP server "${server}" did not take the call of ${tool}: ${reason}. Mend the arguments and call again.`;
  }
  return `The call of ${tool} failed at the MCP server "${server}": ${reason}. Try something else, or go on without it.`;
}
