import type { Field, Question } from '#contract/question';
import { exampleOf } from './example';
import type { State } from './state';
import { choicesOf, wordsFor } from './value-schema';

/** The workflow's own page in the Temporal UI: what waits, until when, and how to answer it from here. */
export function detailsOf(state: State): string {
  const parts = [
    `**${escaped(state.title)}**`,
    `Agent \`${state.agent.name}\` · ${state.status.replaceAll('_', ' ')}`,
  ];
  if (state.question) parts.push(...questionLines(state.question));
  const { delegated = [] } = state;
  if (delegated.length > 0)
    parts.push(delegated.map((sub) => `- Waits for **${sub.agent}**: \`${sub.conversationId}\``).join('\n'));
  if (state.error) parts.push(`> ${escaped(state.error.message)}`);
  if (state.todos.length > 0) parts.push(state.todos.map(todoLine).join('\n'));
  return parts.join('\n\n');
}

function questionLines(question: Question): string[] {
  const deadline = question.expiresAt
    ? `Waits until **${question.expiresAt}**, then: ${question.onTimeout}.`
    : 'Waits until it is answered.';
  const example = JSON.stringify({
    // A yes that lets something happen says to which question it is.
    ...(question.confirms ? { questionId: question.id } : {}),
    answers: Object.fromEntries(question.fields.map((f) => [f.key, exampleOf(f)])),
  });
  return [
    ...(question.context ? [withoutPictures(question.context)] : []),
    ...question.fields.map(fieldLines),
    deadline,
    `Answer it from a terminal:\n\n\`\`\`\ntemporal workflow signal --workflow-id ${question.conversationId} --name answerQuestion --input '${example.replaceAll("'", "'\\''")}'\n\`\`\``,
  ];
}

function fieldLines(field: Field): string {
  const choices = choicesOf(field.schema)?.map((label) => ({ label, description: undefined }));
  const options = (field.options ?? choices ?? []).map(
    (o) => `- **${escaped(o.label)}**${o.description ? ` ${escaped(o.description)}` : ''}`,
  );
  const other = field.options && field.allowOther ? ['- *Other*'] : [];
  return [`### ${field.key}. ${escaped(field.question)} (${howOf(field)})`, ...options, ...other].join('\n');
}

function howOf(field: Field): string {
  if (field.options) return field.multiSelect ? 'choose any' : 'choose one';
  return field.schema ? escaped(wordsFor(field.schema)) : 'free text';
}

function todoLine(todo: State['todos'][number]): string {
  const mark = todo.status === 'completed' ? 'x' : ' ';
  return `- [${mark}] ${escaped(todo.content)}${todo.status === 'in_progress' ? ' *(in progress)*' : ''}`;
}

/** Markdown, as everywhere, but nothing that a browser would fetch by itself: its address could tell others what was said here. */
function withoutPictures(markdown: string): string {
  return markdown.replace(/!\[|<(?=[a-z!/?])/gi, '\\$&');
}

/** Text of a person or a model must not turn into markup on somebody's page. */
function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|]/g, '\\$&').replace(/\s*\n\s*/g, ' ');
}
