import type { Agent } from '../contract/agent';
import { requiresConfirmation } from './permission';
import type { ToolResult } from './state';

/** Whose result is a person's answer, word for word. */
const ASKING = ['ask_user_question', 'confirm_action'];

export function isAsking(tool: string): boolean {
  return ASKING.includes(tool);
}

/** Is the result what a person said: an answer, or that a call which they have to approve was not run? */
export function isSpoken(agent: Agent, tool: string, { content, is_error }: ToolResult): boolean {
  if (isAsking(tool)) return true;
  return requiresConfirmation(agent, tool) && (is_error === true || content.includes(`${tool} was not run`));
}

const APPROVED = 'A person approved this call, and it was run. That was for this one call.';

/** Of a call that a person approved: that it ran, and what they added. What the tool gave back is no decision. */
export function approvalIn({ content }: ToolResult): string {
  return APPROVED + commentIn(content);
}

/** What whoever approved a call added, as it stands at the end of the result. */
export function commentIn(content: string): string {
  return /\n\n\[Whoever approved this added: [^\n]*\]$/.exec(content)?.[0] ?? '';
}
