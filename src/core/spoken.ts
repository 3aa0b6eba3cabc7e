import type { Agent } from '#contract/agent';
import { requiresConfirmation } from './permission';
import { isNotRun } from './results';
import type { ToolResult } from './state';

/** Whose result is a person's answer, word for word. */
const ASKING = ['ask_user_question', 'confirm_action'];

export function isAsking(tool: string): boolean {
  return ASKING.includes(tool);
}

/** Is the result what a person said: an answer, or that a call which they have to approve was not run? */
export function isSpoken(agent: Agent, tool: string, result: ToolResult): boolean {
  return isAsking(tool) || (requiresConfirmation(agent, tool) && isNotRun(tool, result));
}

const APPROVED = 'A person approved this call, and it was run. That was for this one call.';
const FAILED = 'This call ended with an error: it was not approved, or it failed.';

/** What became of a call that needs approval, without what the tool gave back: that is no decision. */
export function approvalIn({ is_error }: ToolResult): string {
  return is_error ? FAILED : APPROVED;
}

/** What whoever approved a call added, as it stands at the end of the result. */
export function commentOf(comment: string): string {
  return `\n\n[Whoever approved this added: ${JSON.stringify(comment)}]`;
}

export function commentIn(content: string): string {
  return /\n\n\[Whoever approved this added: "[^\n]*"\]$/.exec(content)?.[0] ?? '';
}

/** What a tool gave back, such that it cannot pass for what a person decided on its call, or added. */
export function notSpoken(tool: string, result: ToolResult): ToolResult {
  const content = result.content.replace(/\[(?=\s*whoever\s+approved\b)/gi, '(');
  return {
    ...result,
    content: isNotRun(tool, { ...result, content }) ? `${tool} said: ${content}` : content,
  };
}
