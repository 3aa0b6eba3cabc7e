import type { Outcome, Question } from '../contract/question';
import { YES } from './asking';
import type { Call, ToolResult } from './state';
import { toolResult } from './transcript';

/** What the model hears. A timeout is never a "no", and a "no" to an action is not an error. */
export function resultOf(call: Call, question: Question): ToolResult {
  const tool = question.confirms?.tool;
  const notRun = tool ? ` ${tool} was not run.` : '';
  const { comment } = question.outcome ?? {};
  if (question.status === 'declined') {
    const declined = comment ? `The user declined to answer: ${comment}` : 'The user declined to answer.';
    return toolResult(call.id, `${declined}${notRun}`, true);
  }
  if (question.status === 'cancelled')
    return toolResult(call.id, `The conversation was cancelled before anybody answered.${notRun}`, true);
  const said = tool ? { message: notRun.trim() } : {};
  return toolResult(
    call.id,
    JSON.stringify({ ...said, ...saidIn(question, call), ...lateOf(question, notRun) }),
  );
}

function saidIn(question: Question, call: Call): object {
  const { answers, comment } = question.outcome ?? {};
  const isConfirmation = call.run === 'confirm' || question.confirms?.tool;
  const said =
    answers && (isConfirmation ? { confirmed: answers.q1 === YES } : { answers: byText(question, answers) });
  return { ...said, ...(comment ? { comment } : {}) };
}

function lateOf({ status, outcome }: Question, notRun: string): object {
  if (status !== 'timed_out') return {};
  const { defaulted } = outcome ?? {};
  const message = defaulted ? 'Nobody answered in time; these are the defaults you named.' : NOBODY;
  return { outcome: 'timed_out', message: `${message}${notRun}`, ...(defaulted ? { defaulted } : {}) };
}

const NOBODY =
  'Nobody answered in time. This is neither a yes nor a no: go on with what you can do without the answer, and say what you assumed.';

function byText(question: Question, answers: NonNullable<Outcome['answers']>): Record<string, unknown> {
  return Object.fromEntries(
    question.fields.flatMap((f) => (f.key in answers ? [[f.question, answers[f.key]]] : [])),
  );
}
