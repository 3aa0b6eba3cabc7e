import type { ProblemCode } from '#contract/problem';
import type { Question, ValidationIssue } from '#contract/question';
import { isPastDeadline } from '#core/questions/resolve';
import { validateAnswer } from '#core/questions/validate-answer';
import { Refusal } from './errors';

/** What a message to a question says, and when it came. */
export interface Content {
  answers?: unknown;
  answer?: unknown;
  comment?: string;
  reason?: string;
  by?: string;
  via: string;
  receivedAt: number;
}

export function refuseLate(question: Question, receivedAt: number): void {
  if (isPastDeadline(question, receivedAt)) throw new Undecided();
}

/** It may not have timed out: what was received in time counts also where Temporal or a worker gets to it later. */
export class Undecided extends Refusal {
  constructor() {
    super(
      'worker_unavailable',
      'It is too late for this question, so this was not taken. What became of the question is not known until a worker has looked at what came in time: try again in a moment.',
    );
  }
}

export function faultsOf(question: Question, content: Content): ValidationIssue[] {
  if (!('answers' in content) && !('answer' in content)) return [];
  const checked = validateAnswer(question, content);
  return checked.ok ? [] : checked.faults;
}

export function refuseInvalid(question: Question, content: Content): void {
  const errors = faultsOf(question, content);
  if (errors.length === 0) return;
  const named = errors.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
  throw new Refusal('invalid_answer', `The answer was not taken, and the question is still open. ${named}`, {
    errors,
  });
}

const SETTLED = {
  answered: 'was answered',
  declined: 'was declined',
  timed_out: 'timed out',
  cancelled: 'was cancelled',
};

export function tooLate(question: Question): Refusal {
  const status = question.status === 'pending' ? 'cancelled' : question.status;
  const { by, at } = question.outcome ?? {};
  const who = `${by ? ` by ${by}` : ''}${at ? ` at ${at}` : ''}`;
  const code: ProblemCode = `question_${status}`;
  return new Refusal(code, `The question ${SETTLED[status]}${who}; this changed nothing.`, { question });
}
