import type { Agent } from '#contract/agent';
import type { Conversation, ConversationLinks, ConversationStatus, Todo, TokenUsage } from '#contract/conversation';
import type { Question, QuestionStatus } from '#contract/question';
import type { TimelineEntry } from '#contract/timeline';
import type { AskInput, ConfirmInput, DelegateInput, TodosInput } from '#contract/tool-inputs';
import { jsonBytes, toWellFormed } from '#core/json';
import type { DeliveredCopy } from '#core/questions/notifications';
import type { PlannedNotification, QuestionPolicyOverrides } from '#core/questions/schedule';
import type { ArchiveChunk } from '#core/timeline';
import type { ContextUsage } from '#core/transcript/token-budget';
import {
  createToolResult,
  flushToolResults,
  flushTurn,
  type ToolResultBlock,
  type TranscriptMessage,
} from '#core/transcript/transcript';

/** A person said yes to a call with these arguments, in answer to that question. It lets nothing else run. */
export interface CallApproval {
  questionId: string;
  digest: string;
  comment?: string;
}

/** A tool call as the model activity parsed it: how it runs, or why it cannot. */
export type ParsedToolCall = { id: string; name: string; approval?: CallApproval } & (
  | { run: 'ask'; input: AskInput }
  | { run: 'confirm'; input: ConfirmInput }
  | { run: 'todos'; input: TodosInput }
  | { run: 'activity'; runOnce: boolean; serverToolName?: string }
  | { run: 'child'; input: DelegateInput }
  | { run: 'invalid'; message: string }
);

/** What became of a message from outside, so that its sender can be told, also days later. */
export interface MessageResult {
  id: string;
  questionId: string | null;
  status: Exclude<QuestionStatus, 'pending'> | 'accepted';
  digest: string | null;
  by: string | null;
  at: string;
}

/** Everything a conversation is. JSON only: it is the workflow's input, its result, and what rolls over. */
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
  /** Where payloads are encrypted: names are indexed by a hash with it, as the index is in clear. */
  salt?: string;
  callbackUrl: string | null;
  policy: QuestionPolicyOverrides;
  startDigest: string | null;
  /** It is written down in a place for exports whenever it ends. */
  exportOnEnd?: true;
  /** Every agent it may delegate to, and those may: as their files were when it started. */
  subagentDefinitions?: Record<string, Agent>;

  status: ConversationStatus;
  createdAt: string;
  updatedAt: string;
  completedAt: string | null;
  result: string | null;
  error: Conversation['error'];
  usage: TokenUsage;
  todos: Todo[];

  transcript: TranscriptMessage[];
  contextUsage?: ContextUsage;
  /** Where older turns were summarised, the first message tells of them in so many blocks; so many more were not kept. */
  summary?: { blocks: number; dropped: number };
  /** The calls of the assistant's last message that are still to be done, and the results of those that are. */
  turn: { pendingCalls: ParsedToolCall[]; results: ToolResultBlock[] };
  /** Messages of the user that wait until the model can hear them. */
  queuedMessages: string[];
  question: Question | null;
  settledQuestion: Question | null;
  /** What is still to be told of the open question. */
  notificationPlan?: PlannedNotification[];
  /** Where copies of the last question are that somebody was told of, to be changed when it is settled. */
  deliveredCopies?: { questionId: string; copies: DeliveredCopy[] };
  /** Whose links no longer open anything, by question; `*` for everybody's. */
  revokedLinks?: Record<string, string[]>;
  /** The sub-agents at work. */
  openSubagents?: { agent: string; conversationId: string }[];
  questionCount: { total: number; sinceMessage: number };
  modelCallsSinceMessage: number;

  entries: TimelineEntry[];
  lastEntryId: number;
  /** Where older entries went, in order. */
  archivedChunks?: ArchiveChunk[];
  /** Some are kept nowhere. */
  truncated: boolean;
  messageResults: MessageResult[];
  /** About how many bytes of JSON this is, so that nobody has to measure it at each step. */
  sizeBytes: number;
}

export interface NewConversation {
  id: string;
  agent: Agent;
  message: string;
  /** What the model hears instead of the message, where that has to be marked as coming from outside. */
  modelText?: string;
  links: ConversationLinks;
  metadata?: Record<string, unknown>;
  access?: Partial<ConversationState['access']>;
  salt?: string;
  callbackUrl?: string;
  policy?: ConversationState['policy'];
  startDigest?: string;
  subagentDefinitions?: ConversationState['subagentDefinitions'];
  exportOnEnd?: ConversationState['exportOnEnd'];
  /** Whom it works for. Without it, nobody but the person. */
  lineage?: Pick<ConversationState, 'root' | 'origin' | 'parent'>;
}

const MAX_TITLE_LENGTH = 80;

function deriveTitle(message: string): string {
  const line = message.trim().split('\n', 1)[0] ?? '';
  const characters = [...line];
  return characters.length <= MAX_TITLE_LENGTH ? line : `${characters.slice(0, MAX_TITLE_LENGTH - 1).join('')}…`;
}

/** A conversation that has heard its first message and done nothing yet. */
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
    status: 'running',
    createdAt: at,
    updatedAt: at,
    completedAt: null,
    result: null,
    error: null,
    usage: { inputTokens: 0, outputTokens: 0, modelCalls: 0 },
    todos: [],
    transcript: [{ role: 'user', content: [{ type: 'text', text: toWellFormed(start.modelText ?? message) }] }],
    turn: { pendingCalls: [], results: [] },
    queuedMessages: [],
    question: null,
    settledQuestion: null,
    questionCount: { total: 0, sinceMessage: 0 },
    modelCallsSinceMessage: 0,
    entries: [{ id: 1, at, kind: 'message', role: 'user', text: message }],
    lastEntryId: 1,
    truncated: false,
    messageResults: [],
    sizeBytes: 0,
  };
}

/** A finished conversation made ready for a further message: all it knew, none of how it ended. */
export function reopenConversation(state: ConversationState, now: number): void {
  state.completedAt = null;
  state.result = null;
  state.error = null;
  setConversationStatus(state, 'running', now);
}

export function isConversationFinished({ status }: Pick<ConversationState, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

export function toIsoTime(time: number): string {
  return new Date(time).toISOString();
}

type NewEntry<E = TimelineEntry> = E extends TimelineEntry ? Omit<E, 'id' | 'at'> : never;

/** Add to what a person reads. Numbers only grow. */
export function addTimelineEntry(state: ConversationState, entry: NewEntry, now: number): void {
  state.updatedAt = toIsoTime(now);
  state.lastEntryId += 1;
  const added = { id: state.lastEntryId, at: state.updatedAt, ...entry } as TimelineEntry;
  state.entries = [...state.entries, added];
  state.sizeBytes += jsonBytes(added);
}

export function setConversationStatus(state: ConversationState, status: ConversationStatus, now: number): void {
  if (state.status === status) return;
  state.status = status;
  addTimelineEntry(state, { kind: 'status', status }, now);
}

/** Enough to tell a retry from a new message long after; the memo shows only the newest. */
const MAX_MESSAGE_RESULTS = 500;

export function recordMessageResult(state: ConversationState, result: MessageResult): void {
  state.messageResults = [...state.messageResults, result].slice(-MAX_MESSAGE_RESULTS);
}

type FinalStatus = Extract<ConversationStatus, 'completed' | 'failed' | 'cancelled'>;

/** End here. Calls that never ran get a result that says so, so that the conversation can be taken up again. */
export function endConversation(
  state: ConversationState,
  status: FinalStatus,
  ending: { result?: string; error?: NonNullable<Conversation['error']> },
  now: number,
): void {
  const unfinished = state.turn.pendingCalls.map((call) =>
    createToolResult(call.id, `Not finished: the conversation was ${status} first.`, true),
  );
  state.turn = { pendingCalls: [], results: [...state.turn.results, ...unfinished] };
  // What the user said before a cancel does not revive the conversation; what was said before a failure does.
  if (status === 'cancelled') flushTurn(state);
  else flushToolResults(state);
  state.result = ending.result ?? null;
  state.error = ending.error ?? null;
  state.completedAt = toIsoTime(now);
  setConversationStatus(state, status, now);
}
