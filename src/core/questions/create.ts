import type { ActionToConfirm, Question, QuestionField, ValueSchema } from '#contract/question';
import type { AskInput, ConfirmInput } from '#contract/tool-inputs';
import { type ConversationState, toIsoTime } from '#core/conversation/state';
import { sha256Digest } from '#core/digest';
import { formatJsonBlock, jsonBytes } from '#core/json';
import { findSchemaIssues } from '#core/schema/validate-schema';
import { type PlannedNotification, planDeadline, planNotifications, type QuestionPolicyOverrides } from './schedule';
import { defaultAnswers, validateFieldValue } from './validate-answer';

export const YES_LABEL = 'Yes, proceed';
export const NO_LABEL = 'No, cancel';

const MAX_HEADER_LENGTH = 12;
const MAX_QUESTION_BYTES = 16 * 1024;

export type QuestionBuildResult =
  | { ok: true; question: Question; plan: PlannedNotification[] }
  | { ok: false; message: string };

/** The question a call of `ask_user_question` puts, or why it cannot be put. */
export function createQuestion(state: ConversationState, input: AskInput, now: number): QuestionBuildResult {
  const fields = input.questions.map(buildField);
  const faults = fields.flatMap(findFieldIssues);
  const texts = fields.map((field) => field.question);
  if (new Set(texts).size < texts.length) faults.push('two questions have the same text');
  if (faults.length > 0) return { ok: false, message: faults.join('; ') };
  return assembleQuestion(state, { fields, context: input.context, policy: input }, now);
}

/** The question a call of `confirm_action` puts: the exact arguments, and only yes or no. */
export function createConfirmation(state: ConversationState, input: ConfirmInput, now: number): QuestionBuildResult {
  const given = input.arguments ?? null;
  const field = { ...yesNoField(input.action), ...(input.default ? { default: NO_LABEL } : {}) };
  const context = [input.details, given && formatJsonBlock(given)].filter(Boolean).join('\n\n');
  const confirms = { tool: null, arguments: given, digest: sha256Digest(given) };
  // A conversation from before 0.3 is replayed as it was: what it weighs decides when it rolls over.
  const binding = state.agent.tools ? { confirms } : {};
  return assembleQuestion(state, { fields: [field], context, policy: {}, ...binding }, now);
}

/** The question whether a tool may run, put by Parley itself. A "yes" is to these arguments and to no others. */
export function createApproval(
  state: ConversationState,
  tool: string,
  input: unknown,
  now: number,
): QuestionBuildResult {
  const field = yesNoField(`Run ${tool} with exactly these arguments?`);
  const context = `The agent **${state.agent.name}** wants to run \`${tool}\`:\n\n${formatJsonBlock(input)}`;
  const confirms = { tool, arguments: input, digest: sha256Digest(input) };
  return assembleQuestion(state, { fields: [field], context, policy: {}, confirms }, now);
}

function yesNoField(question: string): QuestionField {
  return {
    key: 'q1',
    header: 'Confirm',
    question,
    options: [{ label: YES_LABEL }, { label: NO_LABEL }],
    multiSelect: false,
    allowOther: false,
    required: true,
  };
}

type QuestionContent = {
  fields: QuestionField[];
  context?: string;
  policy: QuestionPolicyOverrides;
  confirms?: ActionToConfirm;
};

function assembleQuestion(state: ConversationState, draft: QuestionContent, now: number): QuestionBuildResult {
  const limit = describeReachedLimit(state);
  if (limit) return { ok: false, message: limit };
  const question: Question = {
    id: `question-${state.asked.total + 1}`,
    conversationId: state.id,
    agent: state.agent.name,
    origin: state.origin,
    status: 'pending',
    context: draft.context || null,
    fields: draft.fields,
    askedAt: toIsoTime(now),
    ...planDeadline(state, draft.policy, defaultAnswers(draft.fields) !== undefined, now),
    notices: [],
    ...(draft.confirms ? { confirms: draft.confirms } : {}),
    outcome: null,
  };
  if (jsonBytes(question) > MAX_QUESTION_BYTES)
    return { ok: false, message: draft.confirms ? ARGUMENTS_TOO_LARGE : QUESTION_TOO_LARGE };
  return { ok: true, question, plan: planNotifications(state, draft.policy, question) };
}

const QUESTION_TOO_LARGE = 'a question with all its fields is at most 16 KB: ask for less at once';
const ARGUMENTS_TOO_LARGE =
  'these arguments are too large to be shown to a person, who sees at most 16 KB: do it in smaller steps';

function describeReachedLimit(state: ConversationState): string | undefined {
  const { perTurn, perConversation } = state.agent.questions;
  const then = 'Go on with what you know and say what you assumed.';
  if (state.asked.sinceMessage >= perTurn)
    return `you have asked ${perTurn} times in this turn, the most allowed. ${then}`;
  if (state.asked.total >= perConversation) {
    return `you have asked ${perConversation} times in this conversation, the most allowed. ${then}`;
  }
  return undefined;
}

function buildField(asked: AskInput['questions'][number], index: number): QuestionField {
  const header = [...(asked.header?.trim() || `Question ${index + 1}`)].slice(0, MAX_HEADER_LENGTH).join('').trim();
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

function findFieldIssues(field: QuestionField): string[] {
  const faults = field.schema ? findSchemaFieldIssues(field, field.schema) : findOptionIssues(field);
  const isCheckable = !field.schema || faults.length === 0;
  const fault = field.default === undefined || !isCheckable ? undefined : validateFieldValue(field, field.default);
  if (fault) faults.push(`the default does not fit: ${fault.message}`);
  return faults.map((said) => `${field.key}: ${said}`);
}

function findOptionIssues({ options, multiSelect }: QuestionField): string[] {
  const faults: string[] = [];
  const labels = options?.map((option) => option.label) ?? [];
  if (new Set(labels).size < labels.length) faults.push('two options have the same label');
  if (multiSelect && !options) faults.push('multiSelect needs options');
  return faults;
}

function findSchemaFieldIssues({ options, multiSelect, allowOther }: QuestionField, schema: ValueSchema): string[] {
  const faults: string[] = [];
  if (options) faults.push('give options or a schema, not both');
  if (multiSelect) faults.push('multiSelect goes with options: for several choices use a schema of type array');
  if (allowOther) faults.push('allowOther goes with options: what a schema does not allow cannot be answered');
  return [...faults, ...findSchemaIssues(schema)];
}
