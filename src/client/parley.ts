import type { AgentView } from '#contract/agent';
import type { Conversation } from '#contract/conversation';
import type { Session } from '#contract/permissions';
import type { Question } from '#contract/question';
import type { AnswerLink, ConversationExport, RevokedLinks, ServerStatus } from '#contract/responses';
import type { ConversationTimeline } from '#contract/timeline';
import { createEventMethods } from './events';
import {
  type AnswerInput,
  type ClientOptions,
  type ClientSettings,
  type ConversationFilter,
  type CountOptions,
  type CreateLinkInput,
  type DeclineInput,
  type InboxFilter,
  type ListedConversations,
  type PageOptions,
  type ResultPage,
  type RevokeLinksInput,
  resolveClientOptions,
  type StartInput,
  type SubmittedAnswer,
} from './options';
import { deleteJson, getJson, postJson, type ReadOptions, type WriteOptions } from './request';

/** Creates a client for Parley's HTTP API, for any runtime with `fetch`. Throws a `ParleyError` on failure. */
export function createParley(options: ClientOptions) {
  const settings = resolveClientOptions(options);
  return {
    ...createConversationMethods(settings),
    ...createQuestionMethods(settings),
    ...createEventMethods(settings),
    ...createAgentMethods(settings),
  };
}

export type ParleyClient = ReturnType<typeof createParley>;

const MAX_PAGE_SIZE = 100;

function createConversationMethods(settings: ClientSettings) {
  const list = ({ signal, ...query }: ConversationFilter & PageOptions & CountOptions = {}) =>
    getJson<ListedConversations>(settings, ['conversations'], { ...query }, signal);

  return {
    list,

    /** Yields all conversations, page by page. */
    async *all(filter: ConversationFilter = {}): AsyncGenerator<Conversation, void> {
      let cursor: string | undefined;
      do {
        const page = await list({ ...filter, limit: MAX_PAGE_SIZE, cursor });
        yield* page.items;
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
    },

    get: (id: string, { signal }: ReadOptions = {}) =>
      getJson<Conversation>(settings, ['conversations', id], {}, signal),

    /** Returns the timeline in order; with `after`, only entries after that one. */
    timeline: (id: string, { signal, ...query }: ReadOptions & { after?: number } = {}) =>
      getJson<ConversationTimeline>(settings, ['conversations', id, 'timeline'], { ...query }, signal),

    /** Returns the complete conversation as one document. */
    export: (id: string, { signal }: ReadOptions = {}) =>
      getJson<ConversationExport>(settings, ['conversations', id, 'export'], {}, signal),

    start: (input: StartInput, options?: WriteOptions) =>
      postJson<Conversation>(settings, ['conversations'], input, options),

    /** Sends a message. Resumes a finished conversation. */
    say: (id: string, text: string, options?: WriteOptions) =>
      postJson<Conversation>(settings, ['conversations', id, 'messages'], { text }, options),

    cancel: (id: string, reason?: string, options?: WriteOptions) =>
      postJson<Conversation>(settings, ['conversations', id, 'cancel'], { reason }, options),
  };
}

const LATEST_QUESTION = 'latest';

function createQuestionMethods(settings: ClientSettings) {
  const pathTo = (id: string, question: string) => ['conversations', id, 'questions', question];

  return {
    /** Lists open questions, soonest deadline first. */
    inbox: ({ signal, ...query }: InboxFilter & PageOptions = {}) =>
      getJson<ResultPage<Question>>(settings, ['questions'], { ...query }, signal),

    /** Lists all questions of one conversation, with their outcomes. */
    questions: (id: string, { signal }: ReadOptions = {}) =>
      getJson<{ items: Question[]; truncated?: true }>(settings, ['conversations', id, 'questions'], {}, signal),

    question: (id: string, question: string = LATEST_QUESTION, { signal }: ReadOptions = {}) =>
      getJson<Question>(settings, pathTo(id, question), {}, signal),

    answer: (id: string, { question = LATEST_QUESTION, ...body }: AnswerInput, options?: WriteOptions) =>
      postJson<SubmittedAnswer>(settings, [...pathTo(id, question), 'answer'], body, options),

    decline: (id: string, { question = LATEST_QUESTION, ...body }: DeclineInput = {}, options?: WriteOptions) =>
      postJson<SubmittedAnswer>(settings, [...pathTo(id, question), 'decline'], body, options),

    /** Creates a link with which one person can answer without a key. Send it only to them: anyone can use it. */
    createLink: (id: string, { question = LATEST_QUESTION, ...body }: CreateLinkInput, options?: WriteOptions) =>
      postJson<AnswerLink>(settings, [...pathTo(id, question), 'links'], body, options),

    /** Revokes the answer links of one person, or of everyone. */
    revokeLinks: (
      id: string,
      { question = LATEST_QUESTION, ...query }: RevokeLinksInput = {},
      options?: WriteOptions,
    ) => deleteJson<RevokedLinks>(settings, [...pathTo(id, question), 'links'], query, options),
  };
}

function createAgentMethods(settings: ClientSettings) {
  return {
    agents: ({ signal }: ReadOptions = {}) => getJson<{ items: AgentView[] }>(settings, ['agents'], {}, signal),

    agent: (name: string, { signal }: ReadOptions = {}) => getJson<AgentView>(settings, ['agents', name], {}, signal),

    /** Returns the principal and scopes of the key. */
    session: ({ signal }: ReadOptions = {}) => getJson<Session>(settings, ['session'], {}, signal),

    /** Returns the configuration and health of the server. */
    status: ({ signal }: ReadOptions = {}) => getJson<ServerStatus>(settings, ['status'], {}, signal),
  };
}
