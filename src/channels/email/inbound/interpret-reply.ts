import type { AnswerValue, Question, QuestionField } from '#contract/question';
import { jsonBytes } from '#core/json';
import { MAX_ANSWER_BYTES } from '#core/questions/resolve';
import { type FieldMatch, findNamedChoice, matchFieldValue } from './match-answer';

/** What somebody says to a question, by what they wrote; or everything that stands against it. */
export type InterpretedReply =
  | { kind: 'answer'; answers: Record<string, AnswerValue>; comment?: string }
  | { kind: 'decline'; reason?: string }
  | { kind: 'unclear'; problems: string[] };

const DECLINE_COMMAND = /^decline(?:\s*:\s*([\s\S]*)|[.!]?)$/i;
const MAX_REASON_LENGTH = 4_000;
const REPLY_TOO_LONG = 'It is too long: an answer with its comment is at most 32 KB.';

export function interpretReply(question: Question, words: string): InterpretedReply {
  if (words.trim() === '') return unclearReply('There were no words of your own in it.');
  if (jsonBytes(words) > MAX_ANSWER_BYTES) return unclearReply(REPLY_TOO_LONG);
  const doubt = findUntrustedText(words);
  if (doubt) return unclearReply(doubt);
  const declined = parseDecline(question, words.trim());
  if (declined) return declined;
  const [field, ...more] = question.fields;
  if (!field) return unclearReply('There is nothing to answer.');
  const understood =
    more.length === 0 ? fromSingleField(field, matchFieldValue(question, field, words)) : fromLines(question, words);
  if (understood.kind === 'answer' && jsonBytes(understood) > MAX_ANSWER_BYTES) return unclearReply(REPLY_TOO_LONG);
  return understood;
}

function unclearReply(...problems: string[]): InterpretedReply {
  return { kind: 'unclear', problems };
}

/** Said in so many words, and not where an option is called that. */
function parseDecline(question: Question, words: string): InterpretedReply | undefined {
  const [first = ''] = words.split('\n', 1);
  const [, reason = ''] = DECLINE_COMMAND.exec(words) ?? DECLINE_COMMAND.exec(first) ?? [];
  const isSaid = DECLINE_COMMAND.test(words) || DECLINE_COMMAND.test(first);
  const isOption = question.fields.some((field) => findNamedChoice(question, field, first) !== undefined);
  if (!isSaid || isOption) return undefined;
  const why = (reason || words.slice(first.length)).trim().slice(0, MAX_REASON_LENGTH);
  return why ? { kind: 'decline', reason: why } : { kind: 'decline' };
}

function fromSingleField(field: QuestionField, taken: FieldMatch): InterpretedReply {
  if (!taken.ok) return unclearReply(taken.problem);
  return answerReply({ [field.key]: taken.value }, taken.comment);
}

function answerReply(answers: Record<string, AnswerValue>, comment: string): InterpretedReply {
  return { kind: 'answer', answers, ...(comment ? { comment } : {}) };
}

/** A line or more for each field, that begins with its key, its number or its name. */
function fromLines(question: Question, words: string): InterpretedReply {
  const blocks = splitByField(question.fields, words.split('\n'));
  const answers: Record<string, AnswerValue> = {};
  const comments: string[] = [];
  const problems: string[] = [];
  for (const field of question.fields) {
    const [lines, ...again] = blocks.filter((block) => block.field === field).map((block) => block.lines);
    const taken = lines && matchField(question, field, lines);
    if (again.length > 0) problems.push(`${field.key} (${field.header}) is answered twice.`);
    else if (!taken) problems.push(`${field.key} (${field.header}) has no answer.`);
    else if (!taken.ok) problems.push(`${field.key} (${field.header}): ${taken.problem}`);
    else {
      answers[field.key] = taken.value;
      if (taken.comment) comments.push(taken.comment);
    }
  }
  return problems.length > 0 ? unclearReply(...problems) : answerReply(answers, comments.join('\n\n'));
}

/** What follows a blank line is a comment here as elsewhere. */
function matchField(question: Question, field: QuestionField, lines: string[]): FieldMatch {
  const text = lines.join('\n').trim();
  const end = text.search(/\n\s*\n/);
  const taken = matchFieldValue(question, field, end < 0 ? text : text.slice(0, end));
  if (!taken.ok || end < 0) return taken;
  return { ...taken, comment: [taken.comment, text.slice(end).trim()].filter(Boolean).join('\n\n') };
}

/** No header is as long. */
const MAX_FIELD_NAME_LENGTH = 200;

interface FieldLines {
  field: QuestionField | undefined;
  lines: string[];
}

function splitByField(fields: QuestionField[], lines: string[]): FieldLines[] {
  const blocks: FieldLines[] = [{ field: undefined, lines: [] }];
  for (const line of lines) {
    const text = line.trim().replace(/^[-*•]\s*/, '');
    const end = text.slice(0, MAX_FIELD_NAME_LENGTH).search(/[:.)=]/);
    const field = end < 0 ? undefined : findFieldByName(fields, text.slice(0, end));
    if (field) blocks.push({ field, lines: [text.slice(end + 1).trim()] });
    else blocks.at(-1)?.lines.push(line);
  }
  return blocks;
}

function findFieldByName(fields: QuestionField[], name: string): QuestionField | undefined {
  const word = name.trim().toLowerCase();
  const byKey = fields.find(({ key }, at) => key === word || String(at + 1) === word);
  const [byHeader, ...more] = fields.filter(({ header }) => header.toLowerCase() === word);
  return byKey ?? (more.length === 0 ? byHeader : undefined);
}

const PARLEY_MARK = /\[parley:|\/a\/[\w-]{20}/i;
const REPLACEMENT_CHARACTER = '\ufffd';

/** Why these may not be their own words as they wrote them: nothing of the kind is taken, nor kept. */
function findUntrustedText(words: string): string | undefined {
  if (PARLEY_MARK.test(words))
    return 'Part of the mail from Parley is in it, and could not be told from what you wrote. Reply with nothing quoted, and no link.';
  if (words.includes(REPLACEMENT_CHARACTER))
    return 'Some of its letters could not be read: the mail was changed on its way. Answer by the link, or with plain letters.';
  return undefined;
}
