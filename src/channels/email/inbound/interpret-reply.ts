import { normalizeLabel } from '#channels/match-label';
import type { AnswerValue, Question } from '#contract/question';
import { jsonBytes } from '#core/json';
import { MAX_ANSWER_BYTES } from '#core/questions/resolve';
import { findNamedChoice, matchFieldValue } from './match-answer';
import { hasQuoteRemains, PARLEY_MARK } from './strip-quotes';

/** A reply as an answer or a decline, or why it is unclear. */
export type InterpretedReply =
  | { kind: 'answer'; answers: Record<string, AnswerValue>; comment?: string }
  | { kind: 'decline'; reason?: string }
  | { kind: 'unclear'; problem: string };

const SKIP_COMMAND = /^(?:skip|decline)(?:\s*:\s*([\s\S]*)|[.!]?)$/i;
const MAX_REASON_LENGTH = 4_000;
const SEVERAL_FIELDS =
  'This question has several fields, which a reply cannot answer. Use the link, or reply with “skip: ” and a reason.';
const REPLY_TOO_LONG = 'Answer too long. An answer and its comment can be up to 32 KB.';

export function interpretReply(question: Question, text: string): InterpretedReply {
  if (text.trim() === '') return unclearReply('Your reply contains no text of your own.');
  if (jsonBytes(text) > MAX_ANSWER_BYTES) return unclearReply(REPLY_TOO_LONG);
  const untrusted = findUntrustedText(question, text);
  if (untrusted) return unclearReply(untrusted);
  const decline = parseDecline(question, text.trim());
  if (decline) return decline;
  const [field, ...otherFields] = question.fields;
  if (!field || otherFields.length > 0) return unclearReply(SEVERAL_FIELDS);
  const match = matchFieldValue(question, field, text);
  if (!match.ok) return unclearReply(match.problem);
  const { value, comment } = match;
  const answer = { answers: { [field.key]: value }, ...(comment ? { comment } : {}) };
  return jsonBytes(answer) > MAX_ANSWER_BYTES ? unclearReply(REPLY_TOO_LONG) : { kind: 'answer', ...answer };
}

function unclearReply(problem: string): InterpretedReply {
  return { kind: 'unclear', problem };
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

const REPLACEMENT_CHARACTER = '\ufffd';

/** Returns why the text may not be the sender's own, unaltered words. Such text is neither accepted nor stored. */
function findUntrustedText(question: Question, text: string): string | undefined {
  if (PARLEY_MARK.test(text) || hasQuoteRemains(text) || repeatsQuestion(question, text))
    return 'Your reply contains part of the email from Parley that could not be separated from your own text. Reply without quoted text or links.';
  if (text.includes(REPLACEMENT_CHARACTER))
    return 'Some characters in your reply were damaged in transit. Answer via the link, or use plain characters.';
  return undefined;
}

/** Returns whether a line is the question itself: a quote without marks. */
function repeatsQuestion({ fields }: Question, text: string): boolean {
  const asked = new Set(fields.map(({ question }) => normalizeLabel(question)));
  return text.split('\n', 500).some((line) => line.trim() !== '' && asked.has(normalizeLabel(line)));
}
