import type { Agent } from '#contract/agent';
import type { AskInput, ConfirmInput, DelegateInput, TodosInput } from '#contract/asking';
import type { Conversation, ConversationStatus, Links, Todo, Usage } from '#contract/conversation';
import type { Entry } from '#contract/entry';
import type { Question, QuestionStatus } from '#contract/question';
import type { KeptCopy } from './copies';
import { jsonBytes, wellFormed } from './json';
import type { Piece } from './old-entries';
import type { PlannedNotice, Policy } from './schedule';

/** A block of a message as the model's API has it; Parley reads text, tool_use and tool_result, and keeps the rest. */
export type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | ToolResult
  | { type: 'thinking' | 'redacted_thinking'; [field: string]: unknown };

export interface ToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error?: boolean;
}

export interface Message {
  role: 'user' | 'assistant';
  content: Block[];
}

/** A person said yes to a call with these arguments, in answer to that question. It lets nothing else run. */
export interface Approval {
  question: string;
  digest: string;
  comment?: string;
}

/** A tool call as the model activity parsed it: how it runs, or why it cannot. */
export type Call = { id: string; name: string; approval?: Approval } & (
  | { run: 'ask'; input: AskInput }
  | { run: 'confirm'; input: ConfirmInput }
  | { run: 'todos'; input: TodosInput }
  | { run: 'activity'; once: boolean; own?: string }
  | { run: 'child'; input: DelegateInput }
  | { run: 'fault'; message: string }
);

/** What became of a message from outside, so that its sender can be told, also days later. */
export interface Verdict {
  id: string;
  on: string | null;
  status: Exclude<QuestionStatus, 'pending'> | 'accepted';
  digest: string | null;
  by: string | null;
  at: string;
}

/** How much the model reads at its next call, as far as that is known. */
export interface Load {
  tokens: number;
  /** Of the transcript, as JSON. */
  bytes: number;
  /** As the model's API tells of the model, and what it said is the most when it refused a call. */
  window?: number;
  told?: number;
  /** How often room was made. */
  times?: number;
  /** What was done to make room since the model last replied: each is tried once, so that nothing goes in circles. */
  tried?: 'trim' | 'compact';
}

/** Everything a conversation is. JSON only: it is the workflow's input, its result, and what rolls over. */
export interface State {
  version: 1;
  id: string;
  root: string;
  agent: Agent;
  origin: string[];
  parent: Conversation['parent'];
  links: Links;
  title: string;
  metadata: Record<string, unknown>;
  access: { owner: string | null; visibleTo: string[]; assignees: string[] };
  /** Where payloads are encrypted: names are indexed by a hash with it, as the index is in clear. */
  salt?: string;
  callbackUrl: string | null;
  policy: Policy;
  startDigest: string | null;
  /** It is written down in a place for exports whenever it ends. */
  exports?: true;
  /** Every agent it may delegate to, and those may: as their files were when it started. */
  team?: Record<string, Agent>;

  status: ConversationStatus;
  createdAt: string;
  updatedAt: string;
  completedAt: string | null;
  result: string | null;
  error: Conversation['error'];
  usage: Usage;
  todos: Todo[];

  transcript: Message[];
  load?: Load;
  /** Where older turns were summarised, the first message tells of them in so many blocks; so many more were not kept. */
  past?: { blocks: number; lost: number };
  /** The calls of the assistant's last message that are still to be done, and the results of those that are. */
  turn: { calls: Call[]; results: ToolResult[] };
  /** Messages of the user that wait until the model can hear them. */
  queued: string[];
  question: Question | null;
  settled: Question | null;
  /** What is still to be told of the open question. */
  plan?: PlannedNotice[];
  /** Where copies of the last question are that somebody was told of, to be changed when it is settled. */
  copies?: { question: string; sent: KeptCopy[] };
  /** Whose links no longer open anything, by question; `*` for everybody's. */
  revoked?: Record<string, string[]>;
  /** The sub-agents at work. */
  delegated?: { agent: string; conversationId: string }[];
  asked: { total: number; sinceMessage: number };
  callsSinceMessage: number;

  entries: Entry[];
  lastEntry: number;
  /** Where older entries went, in order. */
  kept?: Piece[];
  /** Some are kept nowhere. */
  truncated: boolean;
  verdicts: Verdict[];
  /** About how many bytes of JSON this is, so that nobody has to measure it at each step. */
  weight: number;
}

export interface Beginning {
  id: string;
  agent: Agent;
  message: string;
  /** What the model hears instead of the message, where that has to be marked as coming from outside. */
  heard?: string;
  links: Links;
  metadata?: Record<string, unknown>;
  access?: Partial<State['access']>;
  salt?: string;
  callbackUrl?: string;
  policy?: State['policy'];
  startDigest?: string;
  team?: State['team'];
  exports?: State['exports'];
  /** Whom it works for. Without it, nobody but the person. */
  lineage?: Pick<State, 'root' | 'origin' | 'parent'>;
}

const TITLE_LENGTH = 80;

function titleOf(message: string): string {
  const line = message.trim().split('\n', 1)[0] ?? '';
  const characters = [...line];
  return characters.length <= TITLE_LENGTH ? line : `${characters.slice(0, TITLE_LENGTH - 1).join('')}…`;
}

/** A conversation that has heard its first message and done nothing yet. */
export function begin(start: Beginning, now: number): State {
  const at = iso(now);
  const message = wellFormed(start.message);
  return {
    version: 1,
    id: start.id,
    root: start.id,
    agent: start.agent,
    origin: [start.agent.name],
    parent: null,
    ...start.lineage,
    links: start.links,
    title: titleOf(message),
    metadata: start.metadata ?? {},
    access: { owner: null, visibleTo: [], assignees: [], ...start.access },
    ...(start.salt === undefined ? {} : { salt: start.salt }),
    callbackUrl: start.callbackUrl ?? null,
    policy: start.policy ?? {},
    startDigest: start.startDigest ?? null,
    ...(start.team ? { team: start.team } : {}),
    ...(start.exports ? { exports: true } : {}),
    status: 'running',
    createdAt: at,
    updatedAt: at,
    completedAt: null,
    result: null,
    error: null,
    usage: { inputTokens: 0, outputTokens: 0, modelCalls: 0 },
    todos: [],
    transcript: [{ role: 'user', content: [{ type: 'text', text: wellFormed(start.heard ?? message) }] }],
    turn: { calls: [], results: [] },
    queued: [],
    question: null,
    settled: null,
    asked: { total: 0, sinceMessage: 0 },
    callsSinceMessage: 0,
    entries: [{ id: 1, at, kind: 'message', role: 'user', text: message }],
    lastEntry: 1,
    truncated: false,
    verdicts: [],
    weight: 0,
  };
}

/** A finished conversation made ready for a further message: all it knew, none of how it ended. */
export function reopen(state: State, now: number): void {
  state.completedAt = null;
  state.result = null;
  state.error = null;
  setStatus(state, 'running', now);
}

export function isFinished({ status }: Pick<State, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

export function iso(time: number): string {
  return new Date(time).toISOString();
}

type NewEntry<E = Entry> = E extends Entry ? Omit<E, 'id' | 'at'> : never;

/** Add to what a person reads. Numbers only grow. */
export function note(state: State, entry: NewEntry, now: number): void {
  state.updatedAt = iso(now);
  state.lastEntry += 1;
  const noted = { id: state.lastEntry, at: state.updatedAt, ...entry } as Entry;
  state.entries = [...state.entries, noted];
  state.weight += jsonBytes(noted);
}

export function setStatus(state: State, status: ConversationStatus, now: number): void {
  if (state.status === status) return;
  state.status = status;
  note(state, { kind: 'status', status }, now);
}

/** Enough to tell a retry from a new message long after; the memo shows only the newest. */
const VERDICTS_KEPT = 500;

export function record(state: State, verdict: Verdict): void {
  state.verdicts = [...state.verdicts, verdict].slice(-VERDICTS_KEPT);
}
