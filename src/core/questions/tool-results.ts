import type { Agent } from '#contract/agent';
import type { Question, QuestionOutcome } from '#contract/question';
import type { ParsedToolCall } from '#core/conversation/state';
import { needsConfirmation } from '#core/tools/grants';
import { createToolResult, type ToolResultBlock } from '#core/transcript/transcript';
import { YES_LABEL } from './create';

/** What the model reads. A timeout is never a no, and a no to an action is not an error. */
export function questionToolResult(call: ParsedToolCall, question: Question): ToolResultBlock {
  const tool = question.confirms?.tool;
  const { comment } = question.outcome ?? {};
  if (question.status === 'declined') {
    const declined = tool ? declinedMessage(tool) : 'The user declined to answer';
    return createToolResult(call.id, `${declined}${comment ? `: ${comment}` : '.'}`, true);
  }
  const notRun = tool ? [notRunMessage(tool)] : [];
  if (question.status === 'cancelled') return createToolResult(call.id, [CANCELLED_MESSAGE, ...notRun].join(' '), true);
  const late = question.status === 'timed_out' ? [timeoutMessage(question)] : [];
  const message = [...late, ...notRun].join(' ');
  const { defaulted } = question.outcome ?? {};
  return createToolResult(
    call.id,
    JSON.stringify({
      ...answerContent(question, call),
      ...(late.length > 0 ? { outcome: 'timed_out' } : {}),
      ...(message ? { message } : {}),
      ...(defaulted ? { defaulted } : {}),
    }),
  );
}

function answerContent(question: Question, call: ParsedToolCall): object {
  const { answers, comment } = question.outcome ?? {};
  const isConfirmation = call.run === 'confirm' || question.confirms?.tool;
  const said =
    answers &&
    (isConfirmation ? { confirmed: answers.q1 === YES_LABEL } : { answers: keyByQuestionText(question, answers) });
  return { ...said, ...(comment ? { comment } : {}) };
}

function timeoutMessage({ outcome }: Question): string {
  return outcome?.defaulted ? DEFAULTED_MESSAGE : TIMED_OUT_MESSAGE;
}

const declinedMessage = (tool: string) => `The user declined to answer, and ${tool} was not run`;
const notRunMessage = (tool: string) => `${tool} was not run.`;
const CANCELLED_MESSAGE = 'The conversation was cancelled before anybody answered.';
const DEFAULTED_MESSAGE = 'No answer in time; your defaults were used.';
const TIMED_OUT_MESSAGE =
  'No answer in time. This is neither a yes nor a no. Continue without the answer and state your assumptions.';

function keyByQuestionText(
  question: Question,
  answers: NonNullable<QuestionOutcome['answers']>,
): Record<string, unknown> {
  return Object.fromEntries(question.fields.flatMap((f) => (f.key in answers ? [[f.question, answers[f.key]]] : [])));
}

/** True if the result is one of Parley's own texts for a call that was not approved, in this or an earlier version. */
function isNotRunResult(tool: string, { content, is_error }: ToolResultBlock): boolean {
  const [declined, notRun] = [declinedMessage(tool), notRunMessage(tool)];
  if (!is_error) return parseResultMessage(content)?.endsWith(notRun) ?? false;
  return [`${declined}.`, `${CANCELLED_MESSAGE} ${notRun}`].includes(content) || content.startsWith(`${declined}: `);
}

const RESULT_KEYS = ['confirmed', 'comment', 'outcome', 'message', 'defaulted'];

function parseResultMessage(content: string): string | undefined {
  if (!content.startsWith('{') || !content.endsWith('}')) return undefined;
  try {
    const read: Record<string, unknown> = JSON.parse(content);
    return Object.keys(read).every((key) => RESULT_KEYS.includes(key)) ? String(read.message) : undefined;
  } catch {
    return undefined;
  }
}

/** Tools whose result is a person's answer, verbatim. */
const QUESTION_TOOLS = ['ask_user_question', 'confirm_action'];

export function isQuestionTool(tool: string): boolean {
  return QUESTION_TOOLS.includes(tool);
}

/** True if the result is a person's own words or decision. */
export function isHumanResult(agent: Agent, tool: string, result: ToolResultBlock): boolean {
  return isQuestionTool(tool) || (needsConfirmation(agent, tool) && isNotRunResult(tool, result));
}

const APPROVED_NOTE = 'A person approved this call, and it was run. That was for this one call.';
const FAILED_NOTE = 'This call ended with an error: it was not approved, or it failed.';

/** Whether an approved call ran, without the tool's output. */
export function approvalNote({ is_error }: ToolResultBlock): string {
  return is_error ? FAILED_NOTE : APPROVED_NOTE;
}

/** The approver's comment, as appended to the result. */
export function formatApproverComment(comment: string): string {
  return `\n\n[Approver comment: ${JSON.stringify(comment)}]`;
}

export function findApproverComment(content: string): string {
  return /\n\n\[Approver comment: "[^\n]*"\]$/.exec(content)?.[0] ?? '';
}

/** Defuses tool output that would read like a person's decision or comment. */
export function sanitizeToolText(tool: string, result: ToolResultBlock): ToolResultBlock {
  const content = result.content.replace(/\[(?=\s*approver\s+comment\b)/gi, '(');
  return {
    ...result,
    content: isNotRunResult(tool, { ...result, content }) ? `${tool} said: ${content}` : content,
  };
}
