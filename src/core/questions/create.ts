import type { ActionToConfirm, Question, QuestionField, ValueSchema } from '#contract/question';
import type { AskInput, ConfirmInput } from '#contract/tool-inputs';
import { addTimelineEntry, type ConversationState, setConversationStatus, toIsoTime } from '#core/conversation/state';
import { sha256Digest } from '#core/digest';
import { formatJsonBlock, jsonBytes, toWellFormed } from '#core/json';
import { findSchemaIssues } from '#core/schema/validate-schema';
import { type PlannedNotification, planDeadline, planNotifications, type QuestionPolicyOverrides } from './schedule';
import { defaultAnswers, validateFieldValue } from './validate-answer';

export const YES_LABEL = 'Yes, proceed';
export const NO_LABEL = 'No, cancel';

const MAX_HEADER_LENGTH = 12;
const MAX_QUESTION_BYTES = 16 * 1024;

type BuiltQuestion = { question: Question; notificationPlan: PlannedNotification[] };
export type QuestionBuildResult = ({ ok: true } & BuiltQuestion) | { ok: false; message: string };

/** Builds the question of an `ask_user_question` call, or says why it is invalid. */
export function createQuestion(state: ConversationState, call: AskInput, now: number): QuestionBuildResult {
  const input = repairText(call);
  const fields = input.questions.map(buildField);
  const issues = fields.flatMap(findFieldIssues);
  const texts = fields.map((field) => field.question);
  if (new Set(texts).size < texts.length) issues.push('two questions have the same text');
  if (issues.length > 0) return { ok: false, message: issues.join('; ') };
  return assembleQuestion(state, { fields, context: input.context, policy: input }, now);
}

/**
 * Builds the question of a `confirm_action` call: the exact arguments, and only yes or no. A question of Parley's own,
 * about the budget, is not held to the agent's limits.
 */
export function createConfirmation(
  state: ConversationState,
  call: ConfirmInput & { isUnlimited?: true },
  now: number,
): QuestionBuildResult {
  const { isUnlimited, ...input } = repairText(call);
  const actionArguments = input.arguments ?? null;
  const field = { ...yesNoField(input.action), ...(input.default ? { default: NO_LABEL } : {}) };
  const context = [input.details, actionArguments && formatJsonBlock(actionArguments)].filter(Boolean).join('\n\n');
  const confirms = { tool: null, arguments: actionArguments, digest: sha256Digest(actionArguments) };
  return assembleQuestion(state, { fields: [field], context, policy: {}, confirms, isUnlimited }, now);
}

/** Replaces lone surrogates, which no link or form can hold: an option with one could not be chosen. */
function repairText<T>(input: T): T {
  return JSON.parse(JSON.stringify(input), (_key, value) => (typeof value === 'string' ? toWellFormed(value) : value));
}

/** Builds the approval question for a tool call. A yes covers these arguments only. */
export function createApproval(
  state: ConversationState,
  { tool, input, destructive }: { tool: string; input: unknown; destructive: boolean },
  now: number,
): QuestionBuildResult {
  const field = yesNoField(`Run ${tool} with exactly these arguments?`);
  const context = `The agent **${state.agent.name}** wants to run \`${tool}\`:\n\n${formatJsonBlock(input)}`;
  const confirms = { tool, arguments: input, digest: sha256Digest(input), ...(destructive && { destructive }) };
  return assembleQuestion(state, { fields: [field], context, policy: {}, confirms }, now);
}

/** Opens the question, and parks the conversation. */
export function openQuestion(
  state: ConversationState,
  { question, notificationPlan }: BuiltQuestion,
  now: number,
): void {
  state.question = question;
  state.notificationPlan = notificationPlan;
  state.questionCount = { total: state.questionCount.total + 1, sinceMessage: state.questionCount.sinceMessage + 1 };
  addTimelineEntry(state, { kind: 'question', question, settledId: null }, now);
  setConversationStatus(state, 'waiting_for_input', now);
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
  isUnlimited?: true;
};

function assembleQuestion(state: ConversationState, draft: QuestionContent, now: number): QuestionBuildResult {
  const limit = draft.isUnlimited ? undefined : describeReachedLimit(state);
  if (limit) return { ok: false, message: limit };
  const question: Question = {
    id: `question-${state.questionCount.total + 1}`,
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
  return { ok: true, question, notificationPlan: planNotifications(state, draft.policy, question) };
}

const QUESTION_TOO_LARGE = 'it exceeds 16 KB with all its fields; ask for less at once';
const ARGUMENTS_TOO_LARGE = 'its arguments exceed the 16 KB that can be shown to a person; use smaller steps';

function describeReachedLimit(state: ConversationState): string | undefined {
  const { perTurn, perConversation } = state.agent.questions;
  const then = 'Continue with what you know and state your assumptions.';
  if (state.questionCount.sinceMessage >= perTurn)
    return `the limit of ${perTurn} calls for one message is reached. ${then}`;
  if (state.questionCount.total - (state.budget?.questionsAsked ?? 0) >= perConversation) {
    return `the limit of ${perConversation} calls in this conversation is reached. ${then}`;
  }
  return undefined;
}

function buildField(input: AskInput['questions'][number], index: number): QuestionField {
  const header = [...(input.header?.trim() || `Question ${index + 1}`)].slice(0, MAX_HEADER_LENGTH).join('').trim();
  return {
    key: `q${index + 1}`,
    header,
    question: input.question,
    ...(input.options ? { options: input.options } : {}),
    multiSelect: input.multiSelect ?? false,
    allowOther: input.allowOther ?? !input.schema,
    ...(input.schema ? { schema: input.schema } : {}),
    ...(input.default !== undefined ? { default: input.default } : {}),
    required: true,
  };
}

function findFieldIssues(field: QuestionField): string[] {
  const issues = field.schema ? findSchemaFieldIssues(field, field.schema) : findOptionIssues(field);
  const isCheckable = !field.schema || issues.length === 0;
  const issue = field.default === undefined || !isCheckable ? undefined : validateFieldValue(field, field.default);
  if (issue) issues.push(`invalid default: ${issue.message}`);
  return issues.map((message) => `${field.key}: ${message}`);
}

function findOptionIssues({ options, multiSelect }: QuestionField): string[] {
  const issues: string[] = [];
  const labels = options?.map((option) => option.label) ?? [];
  if (new Set(labels).size < labels.length) issues.push('two options have the same label');
  if (multiSelect && !options) issues.push('multiSelect requires options');
  return issues;
}

function findSchemaFieldIssues({ options, multiSelect, allowOther }: QuestionField, schema: ValueSchema): string[] {
  const issues: string[] = [];
  if (options) issues.push('use either options or a schema, not both');
  if (multiSelect) issues.push('multiSelect requires options; for several choices use a schema of type array');
  if (allowOther) issues.push('allowOther requires options; it cannot be combined with a schema');
  return [...issues, ...findSchemaIssues(schema)];
}
