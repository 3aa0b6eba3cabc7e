import type { Field, Question, Value } from '#contract/question';
import { jsonBytes } from '#core/json';
import { ANSWER_BYTES } from '#core/settling';
import { choiceNamed } from './choose';
import { doubtIn } from './doubt';
import { type Taken, takeValue } from './value';

/** What somebody says to a question, by what they wrote; or everything that stands against it. */
export type Understood =
  | { kind: 'answer'; answers: Record<string, Value>; comment?: string }
  | { kind: 'decline'; reason?: string }
  | { kind: 'unclear'; problems: string[] };

const DECLINE = /^decline(?:\s*:\s*([\s\S]*)|[.!]?)$/i;
const REASON = 4_000;
const TOO_LONG = 'It is too long: an answer with its comment is at most 32 KB.';

export function understand(question: Question, words: string): Understood {
  if (words.trim() === '') return unclear('There were no words of your own in it.');
  if (jsonBytes(words) > ANSWER_BYTES) return unclear(TOO_LONG);
  const doubt = doubtIn(words);
  if (doubt) return unclear(doubt);
  const declined = declineIn(question, words.trim());
  if (declined) return declined;
  const [field, ...more] = question.fields;
  if (!field) return unclear('There is nothing to answer.');
  const understood =
    more.length === 0 ? fromOne(field, takeValue(question, field, words)) : fromLines(question, words);
  if (understood.kind === 'answer' && jsonBytes(understood) > ANSWER_BYTES) return unclear(TOO_LONG);
  return understood;
}

function unclear(...problems: string[]): Understood {
  return { kind: 'unclear', problems };
}

/** Said in so many words, and not where an option is called that. */
function declineIn(question: Question, words: string): Understood | undefined {
  const [first = ''] = words.split('\n', 1);
  const [, reason = ''] = DECLINE.exec(words) ?? DECLINE.exec(first) ?? [];
  const isSaid = DECLINE.test(words) || DECLINE.test(first);
  const isOption = question.fields.some((field) => choiceNamed(question, field, first) !== undefined);
  if (!isSaid || isOption) return undefined;
  const why = (reason || words.slice(first.length)).trim().slice(0, REASON);
  return why ? { kind: 'decline', reason: why } : { kind: 'decline' };
}

function fromOne(field: Field, taken: Taken): Understood {
  if (!taken.ok) return unclear(taken.problem);
  return answer({ [field.key]: taken.value }, taken.comment);
}

function answer(answers: Record<string, Value>, comment: string): Understood {
  return { kind: 'answer', answers, ...(comment ? { comment } : {}) };
}

/** A line or more for each field, that begins with its key, its number or its name. */
function fromLines(question: Question, words: string): Understood {
  const blocks = blocksIn(question.fields, words.split('\n'));
  const answers: Record<string, Value> = {};
  const comments: string[] = [];
  const problems: string[] = [];
  for (const field of question.fields) {
    const [lines, ...again] = blocks.filter((block) => block.field === field).map((block) => block.lines);
    const taken = lines && takeField(question, field, lines);
    if (again.length > 0) problems.push(`${field.key} (${field.header}) is answered twice.`);
    else if (!taken) problems.push(`${field.key} (${field.header}) has no answer.`);
    else if (!taken.ok) problems.push(`${field.key} (${field.header}): ${taken.problem}`);
    else {
      answers[field.key] = taken.value;
      if (taken.comment) comments.push(taken.comment);
    }
  }
  return problems.length > 0 ? unclear(...problems) : answer(answers, comments.join('\n\n'));
}

/** What follows a blank line is a comment here as elsewhere. */
function takeField(question: Question, field: Field, lines: string[]): Taken {
  const text = lines.join('\n').trim();
  const end = text.search(/\n\s*\n/);
  const taken = takeValue(question, field, end < 0 ? text : text.slice(0, end));
  if (!taken.ok || end < 0) return taken;
  return { ...taken, comment: [taken.comment, text.slice(end).trim()].filter(Boolean).join('\n\n') };
}

/** No header is as long. */
const NAME = 200;

interface Block {
  field: Field | undefined;
  lines: string[];
}

function blocksIn(fields: Field[], lines: string[]): Block[] {
  const blocks: Block[] = [{ field: undefined, lines: [] }];
  for (const line of lines) {
    const text = line.trim().replace(/^[-*•]\s*/, '');
    const end = text.slice(0, NAME).search(/[:.)=]/);
    const field = end < 0 ? undefined : fieldNamed(fields, text.slice(0, end));
    if (field) blocks.push({ field, lines: [text.slice(end + 1).trim()] });
    else blocks.at(-1)?.lines.push(line);
  }
  return blocks;
}

function fieldNamed(fields: Field[], name: string): Field | undefined {
  const word = name.trim().toLowerCase();
  const byKey = fields.find(({ key }, at) => key === word || String(at + 1) === word);
  const [byHeader, ...more] = fields.filter(({ header }) => header.toLowerCase() === word);
  return byKey ?? (more.length === 0 ? byHeader : undefined);
}
