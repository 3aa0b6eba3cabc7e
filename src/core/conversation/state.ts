import type { Agent, Budget } from '#contract/agent';
import type { Conversation, ConversationLinks, ConversationStatus, Todo, TokenUsage } from '#contract/conversation';
import type { Question, QuestionStatus } from '#contract/question';
import type { TimelineEntry } from '#contract/timeline';
import type { AskInput, ConfirmInput, DelegateInput, TodosInput } from '#contract/tool-inputs';
import { jsonBytes, toWellFormed } from '#core/json';
import type { DeliveredCopy } from '#core/questions/notifications';
import type { PlannedNotification, QuestionPolicyOverrides } from '#core/questions/schedule';
import type { ArchiveChunk } from '#core/timeline';
import type { PinnedPrefix } from '#core/transcript/prefix';
import type { ContextUsage } from '#core/transcript/token-budget';
import {
  createToolResult,
  flushToolResults,
  flushTurn,
  type ToolResultBlock,
  type TranscriptMessage,
} from '#core/transcript/transcript';

import { type BudgetGrant, type BudgetLedger, createBudgetLedger, type ModelRates } from './budget';
import { type Actor, actorOf } from './parse-signal';
import { NO_USAGE } from './usage';

/** A person approved one call with these exact arguments. It approves nothing else. */
export interface CallApproval {
  questionId: string;
  digest: string;
  comment?: string;
}

/** A tool call as the model activity parsed it: how it runs, or why it is invalid. */
export type ParsedToolCall = { id: string; name: string; approval?: CallApproval } & (
  | { run: 'ask'; input: AskInput }
  | { run: 'confirm'; input: ConfirmInput }
  | { run: 'todos'; input: TodosInput }
  | { run: 'activity'; runOnce: boolean; destructive?: boolean; serverToolName?: string }
  | { run: 'child'; input: DelegateInput }
  | { run: 'invalid'; message: string }
);

/** The result of an inbound message, so that a retry gets the same reply days later. */
export interface MessageResult {
  id: string;
  questionId: string | null;
  status: Exclude<QuestionStatus, 'pending'> | 'accepted';
  digest: string | null;
  by: string | null;
  at: string;
}

/** In a list of names, such as `visibleTo`: everyone with a key. */
export const EVERYBODY = '*';

/**
 * The complete state of a conversation. JSON only: it is the workflow's input, its result, and what continue-as-new
 * carries.
 */
export interface ConversationState {
  version: 2;
  id: string;
  root: string;
  agent: Agent;
  origin: string[];
  parent: Conversation['parent'];
  links: ConversationLinks;
  title: string;
  metadata: Record<string, unknown>;
  access: { owner: string | null; visibleTo: string[]; assignees: string[] };
  /** Set if payloads are encrypted. Search attributes are not, so names are indexed as salted hashes. */
  salt?: string;
  callbackUrl: string | null;
  policy: QuestionPolicyOverrides;
  startDigest: string | null;
  /** Write an export whenever the conversation ends. */
  exportOnEnd?: true;
  /** Every agent reachable by delegation, as defined when the conversation started. */
  subagentDefinitions?: Record<string, Agent>;

  status: ConversationStatus;
  createdAt: string;
  updatedAt: string;
  completedAt: string | null;
  result: string | null;
  error: Conversation['error'];
  usage: TokenUsage;
  /** Set on the conversation whose budget counts: the outermost one that has any. */
  budget?: BudgetLedger;
  /** Set below it: the conversations from the one to ask before each model call down to the parent. */
  budgetPath?: string[];
  /** What the call that was granted may use. */
  budgetGrant?: BudgetGrant['allowance'];
  /** Set if a budget in USD may apply. */
  modelRates?: ModelRates;
  todos: Todo[];

  /** How calls differ from the agent file: by the fallback model until the next message, or once by their room. */
  override?: Pick<Partial<Agent>, 'model' | 'maxTokens'>;
  /** What each model call begins with, from the first one on. Pinned again when the transcript is rewritten. */
  prefix?: PinnedPrefix;
  transcript: TranscriptMessage[];
  contextUsage?: ContextUsage;
  /**
   * Set once older turns were summarized: how many blocks of the first message are the summary, and how many excerpts
   * were dropped.
   */
  summary?: { blocks: number; dropped: number };
  /** The calls of the last assistant message that are still pending, and the results so far. */
  turn: { pendingCalls: ParsedToolCall[]; results: ToolResultBlock[] };
  /** User messages that wait for the next model call. */
  queuedMessages: string[];
  question: Question | null;
  settledQuestion: Question | null;
  /** Notifications still to be sent for the open question. */
  notificationPlan?: PlannedNotification[];
  /** Where copies of the last question were delivered, so that they can be updated when it is resolved. */
  deliveredCopies?: { questionId: string; copies: DeliveredCopy[] };
  /** People whose answer links are revoked, by question; `*` stands for all. */
  revokedLinks?: Record<string, string[]>;
  /** The sub-agents that are running. */
  openSubagents?: { agent: string; conversationId: string }[];
  questionCount: { total: number; sinceMessage: number };
  modelCallsSinceMessage: number;

  entries: TimelineEntry[];
  lastEntryId: number;
  /** Chunks of older entries in storage, in order. */
  archivedChunks?: ArchiveChunk[];
  /** Some older entries were dropped and are stored nowhere. */
  truncated: boolean;
  messageResults: MessageResult[];
  /** Approximate size as JSON. Maintained as it grows, since measuring it at each step would be slow. */
  sizeBytes: number;
}

export interface NewConversation {
  id: string;
  agent: Agent;
  message: string;
  /** What the model reads instead of `message`, if parts of that must be marked as untrusted. */
  modelText?: string;
  links: ConversationLinks;
  metadata?: Record<string, unknown>;
  access?: Partial<ConversationState['access']>;
  salt?: string;
  callbackUrl?: string;
  policy?: ConversationState['policy'];
  startDigest?: string;
  startedBy?: Actor;
  subagentDefinitions?: ConversationState['subagentDefinitions'];
  exportOnEnd?: ConversationState['exportOnEnd'];
  budget?: Budget;
  modelRates?: ConversationState['modelRates'];
  /** Set for a sub-agent: the conversation it works for. */
  lineage?: Pick<ConversationState, 'root' | 'origin' | 'parent' | 'budgetPath'>;
}

const MAX_TITLE_LENGTH = 80;

function deriveTitle(message: string): string {
  const line = message.trim().split('\n', 1)[0] ?? '';
  const characters = [...line];
  return characters.length <= MAX_TITLE_LENGTH ? line : `${characters.slice(0, MAX_TITLE_LENGTH - 1).join('')}…`;
}

/** A new conversation with its first message. */
export function createConversationState(start: NewConversation, now: number): ConversationState {
  const at = toIsoTime(now);
  const message = toWellFormed(start.message);
  return {
    version: 2,
    id: start.id,
    root: start.id,
    agent: start.agent,
    origin: [start.agent.name],
    parent: null,
    ...start.lineage,
    links: start.links,
    title: deriveTitle(message),
    metadata: start.metadata ?? {},
    access: { owner: null, visibleTo: [], assignees: [], ...start.access },
    ...(start.salt === undefined ? {} : { salt: start.salt }),
    callbackUrl: start.callbackUrl ?? null,
    policy: start.policy ?? {},
    startDigest: start.startDigest ?? null,
    ...(start.subagentDefinitions ? { subagentDefinitions: start.subagentDefinitions } : {}),
    ...(start.exportOnEnd ? { exportOnEnd: true } : {}),
    ...(start.budget ? { budget: createBudgetLedger(start.budget) } : {}),
    ...(start.modelRates ? { modelRates: start.modelRates } : {}),
    status: 'running',
    createdAt: at,
    updatedAt: at,
    completedAt: null,
    result: null,
    error: null,
    usage: NO_USAGE,
    todos: [],
    transcript: [{ role: 'user', content: [{ type: 'text', text: toWellFormed(start.modelText ?? message) }] }],
    turn: { pendingCalls: [], results: [] },
    queuedMessages: [],
    question: null,
    settledQuestion: null,
    questionCount: { total: 0, sinceMessage: 0 },
    modelCallsSinceMessage: 0,
    entries: [{ id: 1, at, kind: 'message', role: 'user', text: message, ...actorOf(start.startedBy ?? {}) }],
    lastEntryId: 1,
    truncated: false,
    messageResults: [],
    sizeBytes: 0,
  };
}

/** Makes a finished conversation ready for a further message: clears its result, keeps everything else. */
export function reopenConversation(state: ConversationState, now: number, by?: Actor): void {
  state.completedAt = null;
  state.result = null;
  state.error = null;
  setConversationStatus(state, 'running', now, by);
}

export function isConversationFinished({ status }: Pick<ConversationState, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

export function toIsoTime(time: number): string {
  return new Date(time).toISOString();
}

type NewEntry<E = TimelineEntry> = E extends TimelineEntry ? Omit<E, 'id' | 'at'> : never;

/** Appends an entry to the timeline. Entry ids only grow. */
export function addTimelineEntry(state: ConversationState, entry: NewEntry, now: number): void {
  state.updatedAt = toIsoTime(now);
  state.lastEntryId += 1;
  const added = { id: state.lastEntryId, at: state.updatedAt, ...entry } as TimelineEntry;
  state.entries = [...state.entries, added];
  state.sizeBytes += jsonBytes(added);
}

export function setConversationStatus(
  state: ConversationState,
  status: ConversationStatus,
  now: number,
  by: Actor = {},
): void {
  if (state.status === status) return;
  state.status = status;
  addTimelineEntry(state, { kind: 'status', status, ...actorOf(by) }, now);
}

/** Enough to recognize late retries. The memo holds only the newest of them. */
const MAX_MESSAGE_RESULTS = 500;

export function recordMessageResult(state: ConversationState, result: MessageResult): void {
  state.messageResults = [...state.messageResults, result].slice(-MAX_MESSAGE_RESULTS);
}

type FinalStatus = Extract<ConversationStatus, 'completed' | 'failed' | 'cancelled'>;

/**
 * Ends the conversation. Calls that never ran get a result that says so; without one the transcript could not be
 * resumed.
 */
export function endConversation(
  state: ConversationState,
  status: FinalStatus,
  ending: { result?: string; error?: NonNullable<Conversation['error']> },
  now: number,
  by?: Actor,
): void {
  const unfinished = state.turn.pendingCalls.map((call) =>
    createToolResult(call.id, `Not finished: the conversation ended first (${status}).`, true),
  );
  state.turn = { pendingCalls: [], results: [...state.turn.results, ...unfinished] };
  // Queued messages must not reopen a cancelled conversation; they do reopen a failed one.
  if (status === 'cancelled') flushTurn(state);
  else flushToolResults(state);
  state.result = ending.result ?? null;
  state.error = ending.error ?? null;
  state.completedAt = toIsoTime(now);
  setConversationStatus(state, status, now, by);
}
