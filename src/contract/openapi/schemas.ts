import { z } from 'zod';
import { AgentView } from '#contract/agent';
import { Conversation, ConversationStatus, Todo, TokenUsage } from '#contract/conversation';
import { ConversationEvent, InboxEvent, InboxSnapshot } from '#contract/events';
import { Session } from '#contract/permissions';
import { Problem } from '#contract/problem';
import * as questions from '#contract/question';
import * as responses from '#contract/responses';
import { ConversationExport, ServerStatus } from '#contract/responses';
import * as entries from '#contract/timeline';

export type OpenApiObject = Record<string, unknown>;

/** Schemas that the document refers to by name. */
const NAMED_SCHEMAS = {
  Conversation,
  ConversationStatus,
  Todo,
  Usage: TokenUsage,
  Question: questions.Question,
  QuestionStatus: questions.QuestionStatus,
  Field: questions.QuestionField,
  Value: questions.AnswerValue,
  Outcome: questions.QuestionOutcome,
  Entry: entries.TimelineEntry,
  MessageEntry: entries.MessageEntry,
  ToolEntry: entries.ToolCallEntry,
  QuestionEntry: entries.QuestionEntry,
  TodosEntry: entries.TodosEntry,
  NoticeEntry: entries.NoticeEntry,
  StatusEntry: entries.StatusEntry,
  Timeline: entries.ConversationTimeline,
  ConversationEvent,
  InboxEvent,
  InboxSnapshot,
  ConversationPage: responses.ConversationListResponse,
  Counts: responses.StatusCounts,
  QuestionPage: responses.InboxResponse,
  QuestionList: responses.QuestionListResponse,
  Standing: responses.AnswerResponse,
  Started: responses.StartedConversation,
  AgentView,
  AgentList: responses.AgentListResponse,
  Export: ConversationExport,
  Session,
  Health: responses.HealthResponse,
  Status: ServerStatus,
  Problem,
};

const SCHEMA_NAMES = new Map<z.ZodType, string>(Object.entries(NAMED_SCHEMAS).map(([name, schema]) => [schema, name]));

export function toInputSchema(schema: z.ZodType): OpenApiObject {
  return stripDialect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

/** Converts a response schema; a reference if the schema has a name. */
export function toOutputSchema(schema: z.ZodType): OpenApiObject {
  const name = SCHEMA_NAMES.get(schema);
  return name
    ? { $ref: `#/components/schemas/${name}` }
    : stripDialect(z.toJSONSchema(schema, { unrepresentable: 'any' }));
}

export function buildSchemaComponents(): OpenApiObject {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries<z.ZodType>(NAMED_SCHEMAS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: 'any',
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, stripDialect(schema)]));
}

/** Removes the dialect, which OpenAPI states once for the whole document. */
function stripDialect(schema: object): OpenApiObject {
  const { $schema: _dialect, $id: _id, id: _name, ...rest } = schema as OpenApiObject;
  return rest;
}
