import type { AnswerValue, Question, QuestionField } from '#contract/question';
import { jsonBytes } from '#core/json';
import { MAX_ANSWER_BYTES } from '#core/questions/resolve';
import { type FieldMatch, findNamedChoice, matchFieldValue } from './match-answer';

/** A reply as an answer or a decline, or every problem that makes it unclear. */
export type InterpretedReply =
  | { kind: 'answer'; answers: Record<string, AnswerValue>; comment?: string }
  | { kind: 'decline'; reason?: string }
  | { kind: 'unclear'; problems: string[] };

const SKIP_COMMAND = /^(?:skip|decline)(?:\s*:\s*([\s\S]*)|[.!]?)$/i;
const MAX_REASON_LENGTH = 4_000;
const REPLY_TOO_LONG = 'Answer too long. An answer and its comment can be up to 32 KB.';

export function interpretReply(question: Question, text: string): InterpretedReply {
  if (text.trim() === '') return unclearReply('Your reply contains no text of your own.');
  if (jsonBytes(text) > MAX_ANSWER_BYTES) return unclearReply(REPLY_TOO_LONG);
  const untrusted = findUntrustedText(text);
  if (untrusted) return unclearReply(untrusted);
  const decline = parseDecline(question, text.trim());
  if (decline) return decline;
  const [field, ...otherFields] = question.fields;
  if (!field) return unclearReply('This question has nothing to answer.');
  const interpreted =
    otherFields.length === 0
      ? fromSingleField(field, matchFieldValue(question, field, text))
      : fromLines(question, text);
  if (interpreted.kind === 'answer' && jsonBytes(interpreted) > MAX_ANSWER_BYTES) return unclearReply(REPLY_TOO_LONG);
  return interpreted;
}

function unclearReply(...problems: string[]): InterpretedReply {
  return { kind: 'unclear', problems };
}

/** Parses an explicit `skip` or `decline`, unless an option has that label. */
function parseDecline(question: Question, text: string): InterpretedReply | undefined {
  const [firstLine = ''] = text.split('\n', 1);
  const [, inlineReason = ''] = SKIP_COMMAND.exec(text) ?? SKIP_COMMAND.exec(firstLine) ?? [];
  const isCommand = SKIP_COMMAND.test(text) || SKIP_COMMAND.test(firstLine);
  const isOption = question.fields.some((field) => findNamedChoice(question, field, firstLine) !== undefined);
  if (!isCommand || isOption) return undefined;
  const reason = (inlineReason || text.slice(firstLine.length)).trim().slice(0, MAX_REASON_LENGTH);
  return reason ? { kind: 'decline', reason } : { kind: 'decline' };
}

function fromSingleField(field: QuestionField, match: FieldMatch): InterpretedReply {
  if (!match.ok) return unclearReply(match.problem);
  return answerReply({ [field.key]: match.value }, match.comment);
}

function answerReply(answers: Record<string, AnswerValue>, comment: string): InterpretedReply {
  return { kind: 'answer', answers, ...(comment ? { comment } : {}) };
}

/** Parses one or more lines for each field, which start with its key, number or name. */
function fromLines(question: Question, text: string): InterpretedReply {
  const blocks = splitByField(question.fields, text.split('\n'));
  const answers: Record<string, AnswerValue> = {};
  const comments: string[] = [];
  const problems: string[] = [];
  for (const field of question.fields) {
    const [lines, ...duplicates] = blocks.filter((block) => block.field === field).map((block) => block.lines);
    const match = lines && matchField(question, field, lines);
    if (duplicates.length > 0) problems.push(`${field.key} (${field.header}) is answered twice.`);
    else if (!match) problems.push(`${field.key} (${field.header}) has no answer.`);
    else if (!match.ok) problems.push(`${field.key} (${field.header}): ${match.problem}`);
    else {
      answers[field.key] = match.value;
      if (match.comment) comments.push(match.comment);
    }
  }
  return problems.length > 0 ? unclearReply(...problems) : answerReply(answers, comments.join('\n\n'));
}

/** Parses one field. Text after a blank line is a comment. */
function matchField(question: Question, field: QuestionField, lines: string[]): FieldMatch {
  const text = lines.join('\n').trim();
  const end = text.search(/\n\s*\n/);
  const match = matchFieldValue(question, field, end < 0 ? text : text.slice(0, end));
  if (!match.ok || end < 0) return match;
  return { ...match, comment: [match.comment, text.slice(end).trim()].filter(Boolean).join('\n\n') };
}

/** Longer than any header. */
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
  const normalized = name.trim().toLowerCase();
  const byKey = fields.find(({ key }, index) => key === normalized || String(index + 1) === normalized);
  const [byHeader, ...more] = fields.filter(({ header }) => header.toLowerCase() === normalized);
  return byKey ?? (more.length === 0 ? byHeader : undefined);
}

const PARLEY_MARK = /\[parley:|\/a\/[\w-]{20}/i;
const REPLACEMENT_CHARACTER = '\ufffd';

/** Returns why the text may not be the sender's own, unaltered words. Such text is neither accepted nor stored. */
function findUntrustedText(text: string): string | undefined {
  if (PARLEY_MARK.test(text))
    return 'Your reply contains part of the email from Parley that could not be separated from your own text. Reply without quoted text or links.';
  if (text.includes(REPLACEMENT_CHARACTER))
    return 'Some characters in your reply were damaged in transit. Answer via the link, or use plain characters.';
  return undefined;
}
