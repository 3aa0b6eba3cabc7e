import type { Question, QuestionField } from '#contract/question';
import type { ConversationState } from './conversation/state';
import { validateFieldValue } from './questions/validate-answer';
import { describeSchema } from './schema/describe-schema';
import { STRING_FORMATS } from './schema/formats';
import { type StringSchema, schemaChoices } from './schema/validate-value';

/** The details in the Temporal UI: the open question, its deadline, and how to answer it from a terminal. */
export function renderTemporalDetails(state: ConversationState): string {
  const parts = [
    `**${escapeMarkdown(state.title)}**`,
    `Agent \`${state.agent.name}\` · ${state.status.replaceAll('_', ' ')}`,
  ];
  if (state.question) parts.push(...renderQuestion(state.question));
  const { openSubagents = [] } = state;
  if (openSubagents.length > 0)
    parts.push(
      openSubagents.map((sub) => `- Waiting for sub-agent **${sub.agent}**: \`${sub.conversationId}\``).join('\n'),
    );
  if (state.error) parts.push(`> ${escapeMarkdown(state.error.message)}`);
  if (state.todos.length > 0) parts.push(state.todos.map(renderTodo).join('\n'));
  return parts.join('\n\n');
}

function renderQuestion(question: Question): string[] {
  const deadline = question.expiresAt
    ? `Answer by **${question.expiresAt}**. If nobody answers: ${question.onTimeout}.`
    : 'No deadline.';
  const example = JSON.stringify({
    // An approval must name its question.
    ...(question.confirms ? { questionId: question.id } : {}),
    answers: Object.fromEntries(question.fields.map((f) => [f.key, exampleAnswer(f)])),
  });
  return [
    ...(question.context ? [stripImages(question.context)] : []),
    ...question.fields.map(renderField),
    deadline,
    `Answer from a terminal:\n\n\`\`\`\ntemporal workflow signal --workflow-id ${question.conversationId} --name answerQuestion --input '${example.replaceAll("'", "'\\''")}'\n\`\`\``,
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

/** Removes what a browser would fetch by itself: a URL could leak what was said in the conversation. */
function stripImages(markdown: string): string {
  return markdown.replace(/!\[|<(?=[a-z!/?])/gi, '\\$&');
}

/** Text of a person or a model must not become markup. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|]/g, '\\$&').replace(/\s*\n\s*/g, ' ');
}

/** A valid answer to copy and change, or a placeholder if none is found. */
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
