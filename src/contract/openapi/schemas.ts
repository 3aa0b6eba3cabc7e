import { z } from 'zod';
import { Session } from '#contract/access';
import { AgentView } from '#contract/agent';
import { Conversation, ConversationStatus, Todo, Usage } from '#contract/conversation';
import * as entries from '#contract/entry';
import { ConversationEvent, InboxEvent, InboxSnapshot } from '#contract/event';
import { Export } from '#contract/export';
import * as replies from '#contract/operations/replies';
import { Problem } from '#contract/problem';
import * as questions from '#contract/question';
import { Status } from '#contract/status';

export type Json = Record<string, unknown>;

/** What is referred to by name. */
const RESPONSES = {
  Conversation,
  ConversationStatus,
  Todo,
  Usage,
  Question: questions.Question,
  QuestionStatus: questions.QuestionStatus,
  Field: questions.Field,
  Value: questions.Value,
  Outcome: questions.Outcome,
  Entry: entries.Entry,
  MessageEntry: entries.MessageEntry,
  ToolEntry: entries.ToolEntry,
  QuestionEntry: entries.QuestionEntry,
  TodosEntry: entries.TodosEntry,
  NoticeEntry: entries.NoticeEntry,
  StatusEntry: entries.StatusEntry,
  Timeline: entries.Timeline,
  ConversationEvent,
  InboxEvent,
  InboxSnapshot,
  ConversationPage: replies.ConversationPage,
  Counts: replies.Counts,
  QuestionPage: replies.QuestionPage,
  QuestionList: replies.QuestionList,
  Standing: replies.Standing,
  Started: replies.Started,
  AgentView,
  AgentList: replies.AgentList,
  Export,
  Session,
  Health: replies.Health,
  Status,
  Problem,
};

const NAMES = new Map<z.ZodType, string>(Object.entries(RESPONSES).map(([name, schema]) => [schema, name]));

/** A schema of what is sent to Parley. */
export function input(schema: z.ZodType): Json {
  return bare(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

/** A schema of what Parley sends, by name where it has one. */
export function output(schema: z.ZodType): Json {
  const name = NAMES.get(schema);
  return name
    ? { $ref: `#/components/schemas/${name}` }
    : bare(z.toJSONSchema(schema, { unrepresentable: 'any' }));
}

export function components(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries<z.ZodType>(RESPONSES)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: 'any',
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
}

/** OpenAPI says once which JSON Schema it means. */
function bare(schema: object): Json {
  const { $schema: _dialect, $id: _id, id: _name, ...rest } = schema as Json;
  return rest;
}
