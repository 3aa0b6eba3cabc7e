import type { AskInput, ConfirmInput } from '#contract/asking';
import type { Confirms, Field, Question } from '#contract/question';
import type { ValueSchema } from '#contract/value-schema';
import { checkValue, defaultsOf } from './answers';
import { digestOf } from './digest';
import { jsonBytes } from './json';
import { noticesFor, type PlannedNotice, type Policy, planFor } from './schedule';
import { schemaFaults } from './schema-faults';
import { jsonBlock } from './shown-action';
import { iso, type State } from './state';

export const YES = 'Yes, proceed';
export const NO = 'No, cancel';

const HEADER_LENGTH = 12;
const QUESTION_BYTES = 16 * 1024;

export type Made = { ok: true; question: Question; plan: PlannedNotice[] } | { ok: false; message: string };

/** The question a call of `ask_user_question` puts, or why it cannot be put. */
export function questionOf(state: State, input: AskInput, now: number): Made {
  const fields = input.questions.map(fieldOf);
  const faults = fields.flatMap(faultsOf);
  const texts = fields.map((field) => field.question);
  if (new Set(texts).size < texts.length) faults.push('two questions have the same text');
  if (faults.length > 0) return { ok: false, message: faults.join('; ') };
  return put(state, { fields, context: input.context, policy: input }, now);
}

/** The question a call of `confirm_action` puts: the exact arguments, and only yes or no. */
export function confirmationOf(state: State, input: ConfirmInput, now: number): Made {
  const given = input.arguments ?? null;
  const field = { ...yesOrNo(input.action), ...(input.default ? { default: NO } : {}) };
  const context = [input.details, given && jsonBlock(given)].filter(Boolean).join('\n\n');
  const confirms = { tool: null, arguments: given, digest: digestOf(given) };
  // A conversation from before 0.3 is replayed as it was: what it weighs decides when it rolls over.
  const binding = state.agent.tools ? { confirms } : {};
  return put(state, { fields: [field], context, policy: {}, ...binding }, now);
}

/** The question whether a tool may run, put by Parley itself. A "yes" is to these arguments and to no others. */
export function approvalOf(state: State, tool: string, input: unknown, now: number): Made {
  const field = yesOrNo(`Run ${tool} with exactly these arguments?`);
  const context = `The agent **${state.agent.name}** wants to run \`${tool}\`:\n\n${jsonBlock(input)}`;
  const confirms = { tool, arguments: input, digest: digestOf(input) };
  return put(state, { fields: [field], context, policy: {}, confirms }, now);
}

function yesOrNo(question: string): Field {
  return {
    key: 'q1',
    header: 'Confirm',
    question,
    options: [{ label: YES }, { label: NO }],
    multiSelect: false,
    allowOther: false,
    required: true,
  };
}

type Draft = { fields: Field[]; context?: string; policy: Policy; confirms?: Confirms };

function put(state: State, draft: Draft, now: number): Made {
  const limit = limitReached(state);
  if (limit) return { ok: false, message: limit };
  const question: Question = {
    id: `question-${state.asked.total + 1}`,
    conversationId: state.id,
    agent: state.agent.name,
    origin: state.origin,
    status: 'pending',
    context: draft.context || null,
    fields: draft.fields,
    askedAt: iso(now),
    ...planFor(state, draft.policy, defaultsOf(draft.fields) !== undefined, now),
    notices: [],
    ...(draft.confirms ? { confirms: draft.confirms } : {}),
    outcome: null,
  };
  if (jsonBytes(question) > QUESTION_BYTES)
    return { ok: false, message: draft.confirms ? UNSHOWN : TOO_LARGE };
  return { ok: true, question, plan: noticesFor(state, draft.policy, question) };
}

const TOO_LARGE = 'a question with all its fields is at most 16 KB: ask for less at once';
const UNSHOWN =
  'these arguments are too large to be shown to a person, who sees at most 16 KB: do it in smaller steps';

function limitReached(state: State): string | undefined {
  const { perTurn, perConversation } = state.agent.questions;
  const then = 'Go on with what you know and say what you assumed.';
  if (state.asked.sinceMessage >= perTurn)
    return `you have asked ${perTurn} times in this turn, the most allowed. ${then}`;
  if (state.asked.total >= perConversation) {
    return `you have asked ${perConversation} times in this conversation, the most allowed. ${then}`;
  }
  return undefined;
}

function fieldOf(asked: AskInput['questions'][number], index: number): Field {
  const header = [...(asked.header?.trim() || `Question ${index + 1}`)]
    .slice(0, HEADER_LENGTH)
    .join('')
    .trim();
  return {
    key: `q${index + 1}`,
    header,
    question: asked.question,
    ...(asked.options ? { options: asked.options } : {}),
    multiSelect: asked.multiSelect ?? false,
    allowOther: asked.allowOther ?? !asked.schema,
    ...(asked.schema ? { schema: asked.schema } : {}),
    ...(asked.default !== undefined ? { default: asked.default } : {}),
    required: true,
  };
}

function faultsOf(field: Field): string[] {
  const faults = field.schema ? schemaFaultsOf(field, field.schema) : optionFaultsOf(field);
  const isCheckable = !field.schema || faults.length === 0;
  const fault = field.default === undefined || !isCheckable ? undefined : checkValue(field, field.default);
  if (fault) faults.push(`the default does not fit: ${fault.message}`);
  return faults.map((said) => `${field.key}: ${said}`);
}

function optionFaultsOf({ options, multiSelect }: Field): string[] {
  const faults: string[] = [];
  const labels = options?.map((option) => option.label) ?? [];
  if (new Set(labels).size < labels.length) faults.push('two options have the same label');
  if (multiSelect && !options) faults.push('multiSelect needs options');
  return faults;
}

function schemaFaultsOf({ options, multiSelect, allowOther }: Field, schema: ValueSchema): string[] {
  const faults: string[] = [];
  if (options) faults.push('give options or a schema, not both');
  if (multiSelect)
    faults.push('multiSelect goes with options: for several choices use a schema of type array');
  if (allowOther)
    faults.push('allowOther goes with options: what a schema does not allow cannot be answered');
  return [...faults, ...schemaFaults(schema)];
}
