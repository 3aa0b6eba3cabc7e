import type { Question, QuestionField } from '#contract/question';
import type { ConversationState } from './conversation/state';
import { validateFieldValue } from './questions/validate-answer';
import { describeSchema } from './schema/describe-schema';
import { STRING_FORMATS } from './schema/formats';
import { type StringSchema, schemaChoices } from './schema/validate-value';

/** The workflow's own page in the Temporal UI: what waits, until when, and how to answer it from here. */
export function renderTemporalDetails(state: ConversationState): string {
  const parts = [
    `**${escapeMarkdown(state.title)}**`,
    `Agent \`${state.agent.name}\` · ${state.status.replaceAll('_', ' ')}`,
  ];
  if (state.question) parts.push(...renderQuestion(state.question));
  const { openSubagents = [] } = state;
  if (openSubagents.length > 0)
    parts.push(openSubagents.map((sub) => `- Waits for **${sub.agent}**: \`${sub.conversationId}\``).join('\n'));
  if (state.error) parts.push(`> ${escapeMarkdown(state.error.message)}`);
  if (state.todos.length > 0) parts.push(state.todos.map(renderTodo).join('\n'));
  return parts.join('\n\n');
}

function renderQuestion(question: Question): string[] {
  const deadline = question.expiresAt
    ? `Waits until **${question.expiresAt}**, then: ${question.onTimeout}.`
    : 'Waits until it is answered.';
  const example = JSON.stringify({
    // A yes that lets something happen says to which question it is.
    ...(question.confirms ? { questionId: question.id } : {}),
    answers: Object.fromEntries(question.fields.map((f) => [f.key, exampleAnswer(f)])),
  });
  return [
    ...(question.context ? [stripImages(question.context)] : []),
    ...question.fields.map(renderField),
    deadline,
    `Answer it from a terminal:\n\n\`\`\`\ntemporal workflow signal --workflow-id ${question.conversationId} --name answerQuestion --input '${example.replaceAll("'", "'\\''")}'\n\`\`\``,
  ];
}

function renderField(field: QuestionField): string {
  const choices = schemaChoices(field.schema)?.map((label) => ({ label, description: undefined }));
  const options = (field.options ?? choices ?? []).map(
    (o) => `- **${escapeMarkdown(o.label)}**${o.description ? ` ${escapeMarkdown(o.description)}` : ''}`,
  );
  const other = field.options && field.allowOther ? ['- *Other*'] : [];
  return [`### ${field.key}. ${escapeMarkdown(field.question)} (${describeInput(field)})`, ...options, ...other].join(
    '\n',
  );
}

function describeInput(field: QuestionField): string {
  if (field.options) return field.multiSelect ? 'choose any' : 'choose one';
  return field.schema ? escapeMarkdown(describeSchema(field.schema)) : 'free text';
}

function renderTodo(todo: ConversationState['todos'][number]): string {
  const mark = todo.status === 'completed' ? 'x' : ' ';
  return `- [${mark}] ${escapeMarkdown(todo.content)}${todo.status === 'in_progress' ? ' *(in progress)*' : ''}`;
}

/**
 * Markdown, as everywhere, but nothing that a browser would fetch by itself: its address could tell others what was
 * said here.
 */
function stripImages(markdown: string): string {
  return markdown.replace(/!\[|<(?=[a-z!/?])/gi, '\\$&');
}

/** Text of a person or a model must not turn into markup on somebody's page. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|]/g, '\\$&').replace(/\s*\n\s*/g, ' ');
}

/** An answer that would do, to copy and change. Where none can be found, words that say there is something to write. */
export function exampleAnswer(field: QuestionField): unknown {
  if (field.default !== undefined) return field.default;
  const label = field.options?.[0]?.label;
  if (label !== undefined) return field.multiSelect ? [label] : label;
  const { schema } = field;
  switch (schema?.type) {
    case 'number':
      return schema.minimum ?? Math.min(schema.maximum ?? 1, 1);
    case 'integer':
      return Math.ceil(schema.minimum ?? Math.min(Math.floor(schema.maximum ?? 1), 1));
    case 'boolean':
      return true;
    case 'array':
      return schema.items.enum.slice(0, schema.minItems || 1);
    case 'string':
      return (
        schema.enum?.[0] ?? candidateTexts(schema).find((text) => !validateFieldValue(field, text)) ?? PLACEHOLDER_TEXT
      );
    default:
      return PLACEHOLDER_TEXT;
  }
}

const PLACEHOLDER_TEXT = 'your text';

function candidateTexts({ format, minLength = 0, maxLength = PLACEHOLDER_TEXT.length }: StringSchema): string[] {
  const long = PLACEHOLDER_TEXT.repeat(Math.ceil(minLength / PLACEHOLDER_TEXT.length) || 1);
  const text = long.slice(0, Math.max(minLength, Math.min(maxLength, PLACEHOLDER_TEXT.length))).trimEnd();
  return [...(format ? [STRING_FORMATS[format].example] : []), text, text.padEnd(minLength, 'x')];
}
