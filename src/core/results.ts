import type { Outcome, Question } from '#contract/question';
import { YES } from './asking';
import type { Call, ToolResult } from './state';
import { toolResult } from './transcript';

/** What the model hears. A timeout is never a "no", and a "no" to an action is not an error. */
export function resultOf(call: Call, question: Question): ToolResult {
  const tool = question.confirms?.tool;
  const { comment } = question.outcome ?? {};
  if (question.status === 'declined') {
    const declined = tool ? declinedOf(tool) : 'The user declined to answer';
    return toolResult(call.id, `${declined}${comment ? `: ${comment}` : '.'}`, true);
  }
  const notRun = tool ? [notRunOf(tool)] : [];
  if (question.status === 'cancelled') return toolResult(call.id, [CANCELLED, ...notRun].join(' '), true);
  const late = question.status === 'timed_out' ? [lateOf(question)] : [];
  const message = [...late, ...notRun].join(' ');
  const { defaulted } = question.outcome ?? {};
  return toolResult(
    call.id,
    JSON.stringify({
      ...saidIn(question, call),
      ...(late.length > 0 ? { outcome: 'timed_out' } : {}),
      ...(message ? { message } : {}),
      ...(defaulted ? { defaulted } : {}),
    }),
  );
}

function saidIn(question: Question, call: Call): object {
  const { answers, comment } = question.outcome ?? {};
  const isConfirmation = call.run === 'confirm' || question.confirms?.tool;
  const said =
    answers && (isConfirmation ? { confirmed: answers.q1 === YES } : { answers: byText(question, answers) });
  return { ...said, ...(comment ? { comment } : {}) };
}

function lateOf({ outcome }: Question): string {
  return outcome?.defaulted ? DEFAULTS : NOBODY;
}

const declinedOf = (tool: string) => `The user declined to answer, and ${tool} was not run`;
const notRunOf = (tool: string) => `${tool} was not run.`;
const CANCELLED = 'The conversation was cancelled before anybody answered.';
const DEFAULTS = 'Nobody answered in time; these are the defaults you named.';
const NOBODY =
  'Nobody answered in time. This is neither a yes nor a no: go on with what you can do without the answer, and say what you assumed.';

function byText(question: Question, answers: NonNullable<Outcome['answers']>): Record<string, unknown> {
  return Object.fromEntries(
    question.fields.flatMap((f) => (f.key in answers ? [[f.question, answers[f.key]]] : [])),
  );
}

/** Is this, from end to end, what is said above of a call that a person had to approve and that did not run? */
export function isNotRun(tool: string, { content, is_error }: ToolResult): boolean {
  const [declined, notRun] = [declinedOf(tool), notRunOf(tool)];
  if (is_error)
    return (
      [`${declined}.`, `${CANCELLED} ${notRun}`].includes(content) || content.startsWith(`${declined}: `)
    );
  const said = [notRun, `${NOBODY} ${notRun}`, `${DEFAULTS} ${notRun}`];
  return said.includes(messageIn(content) ?? '');
}

const KEYS = ['confirmed', 'comment', 'outcome', 'message', 'defaulted'];

function messageIn(content: string): string | undefined {
  if (!content.startsWith('{') || !content.endsWith('}')) return undefined;
  try {
    const read: Record<string, unknown> = JSON.parse(content);
    return Object.keys(read).every((key) => KEYS.includes(key)) ? String(read.message) : undefined;
  } catch {
    return undefined;
  }
}
