import { Ending, EXIT, misuse } from '#cli/exit';
import { faultsText } from '#cli/trouble';
import type { Fault, Field, Question, Value } from '#contract/question';
import { checkAnswer } from '#core/answers';
import { bodyIn } from './body';
import { fieldAndValue } from './naming';
import { type Said, valueFor } from './values';

/** An answer on the command line, in place of somebody who is asked. */
export interface AnswerFlags {
  /** `q1=PostgreSQL`, by key, header or text of the field; several of a field are several choices. */
  field?: string[];
  /** `q1=text`: something that is not among the options. */
  other?: string[];
  comment?: string;
  /** The body is on stdin. */
  isBody?: boolean;
}

export interface GivenAnswer {
  answers: Record<string, Value>;
  comment?: string;
}

/** The answer that the flags make. Throws with every fault at once, and nothing was sent. */
export async function answerFrom(
  question: Question,
  flags: AnswerFlags,
  readStdin: () => Promise<string>,
): Promise<GivenAnswer> {
  const isFlagged = (flags.field ?? flags.other) !== undefined;
  if (flags.isBody && isFlagged)
    throw misuse('The answer is either on stdin (-) or in --field and --other, not in both.');
  return flags.isBody ? ofBody(question, await readStdin(), flags.comment) : ofFlags(question, flags);
}

function ofBody(question: Question, text: string, comment: string | undefined): GivenAnswer {
  const body = bodyIn(text, question);
  const checked = checkAnswer(question, body);
  if (!checked.ok) throw unfit(checked.faults);
  return withComment(checked.answers, comment ?? body.comment);
}

function ofFlags(question: Question, { field = [], other = [], comment }: AnswerFlags): GivenAnswer {
  const said = saidIn(question.fields, field, other);
  const answers: Record<string, Value> = {};
  const faults: Fault[] = [];
  for (const [one, what] of said) {
    const made = valueFor(one, what);
    if (made.ok) answers[one.key] = made.value;
    else faults.push({ path: `answers.${one.key}`, ...made.fault });
  }
  // What was said and does not fit is a fault already, and not missing.
  const rest = { ...question, fields: question.fields.filter((one) => !said.has(one)) };
  const missing = checkAnswer(rest, { answers: {} });
  if (!missing.ok) faults.push(...missing.faults);
  if (faults.length > 0) throw unfit(faults);
  return withComment(answers, comment);
}

function saidIn(fields: Field[], texts: string[], others: string[]): Map<Field, Said> {
  const all = new Map<Field, Said>();
  const note = (flag: '--field' | '--other', given: string) => {
    const { field, value } = fieldAndValue(fields, flag, given);
    const said = all.get(field) ?? { texts: [], others: [] };
    said[flag === '--field' ? 'texts' : 'others'].push(value);
    all.set(field, said);
  };
  for (const text of texts) note('--field', text);
  for (const other of others) note('--other', other);
  return all;
}

function withComment(answers: Record<string, Value>, comment: string | undefined): GivenAnswer {
  return comment === undefined ? { answers } : { answers, comment };
}

function unfit(faults: Fault[]): Ending {
  return new Ending(EXIT.refused, faultsText(faults), 'invalid_answer', faults);
}
