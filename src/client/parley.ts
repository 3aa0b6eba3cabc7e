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

/** A client of Parley's HTTP API, for browsers, Node and whatever else has `fetch`. Refusals are `ParleyError`s. */
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
  return { ...createReadMethods(settings), ...createWriteMethods(settings) };
}

function createReadMethods(settings: ClientSettings) {
  const list = ({ signal, ...query }: ConversationFilter & PageOptions & CountOptions = {}) =>
    getJson<ListedConversations>(settings, ['conversations'], { ...query }, signal);

  return {
    list,

    /** Every conversation, page after page. */
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

    /** What a person would read, in order; with `after`, what is new since that entry. */
    timeline: (id: string, { signal, ...query }: ReadOptions & { after?: number } = {}) =>
      getJson<ConversationTimeline>(settings, ['conversations', id, 'timeline'], { ...query }, signal),

    /** The whole conversation as one document. */
    export: (id: string, { signal }: ReadOptions = {}) =>
      getJson<ConversationExport>(settings, ['conversations', id, 'export'], {}, signal),
  };
}

function createWriteMethods(settings: ClientSettings) {
  return {
    start: (input: StartInput, options?: WriteOptions) =>
      postJson<Conversation>(settings, ['conversations'], input, options),

    /** A further message; it takes a finished conversation up again. */
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
    /** What waits for an answer, soonest deadline first. */
    inbox: ({ signal, ...query }: InboxFilter & PageOptions = {}) =>
      getJson<ResultPage<Question>>(settings, ['questions'], { ...query }, signal),

    /** All of one conversation, with their outcomes. */
    questions: (id: string, { signal }: ReadOptions = {}) =>
      getJson<{ items: Question[]; truncated?: true }>(settings, ['conversations', id, 'questions'], {}, signal),

    question: (id: string, question: string = LATEST_QUESTION, { signal }: ReadOptions = {}) =>
      getJson<Question>(settings, pathTo(id, question), {}, signal),

    answer: (id: string, { question = LATEST_QUESTION, ...body }: AnswerInput, options?: WriteOptions) =>
      postJson<SubmittedAnswer>(settings, [...pathTo(id, question), 'answer'], body, options),

    /** The person will not answer. */
    decline: (id: string, { question = LATEST_QUESTION, ...body }: DeclineInput = {}, options?: WriteOptions) =>
      postJson<SubmittedAnswer>(settings, [...pathTo(id, question), 'decline'], body, options),

    /** A link by which that person can answer with no key. Whoever has it can: send it to nobody else. */
    createLink: (id: string, { question = LATEST_QUESTION, ...body }: CreateLinkInput, options?: WriteOptions) =>
      postJson<AnswerLink>(settings, [...pathTo(id, question), 'links'], body, options),

    /** Takes back the links of that person, or everybody’s. */
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

    /** Who the key stands for, and what it may do. */
    session: ({ signal }: ReadOptions = {}) => getJson<Session>(settings, ['session'], {}, signal),

    /** What is set up, and what answers. */
    status: ({ signal }: ReadOptions = {}) => getJson<ServerStatus>(settings, ['status'], {}, signal),
  };
}
