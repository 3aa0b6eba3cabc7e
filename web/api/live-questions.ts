import { create } from 'zustand';
import type { ParleyError } from '#client/parley-error';
import type { InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { insertByUrgency, type QuestionKey, sortByUrgency, toQuestionKey } from '#presentation/question-list';
import { apiClient } from './client';
import { onReconnect } from './connection';
import { runInSingleTab, streamWithReconnect } from './stream';

interface InboxState {
  /** Undefined until the first snapshot. */
  questions: Question[] | undefined;
  isTruncated: boolean;
  /** How many questions are left out because their encryption key is missing. */
  unreadable: number;
  error: ParleyError | undefined;
}

const EMPTY_INBOX: InboxState = { questions: undefined, isTruncated: false, unreadable: 0, error: undefined };

/** Pending questions, most urgent first. */
export const useInbox = create<InboxState>(() => EMPTY_INBOX);

/** Messages between tabs: others ping the leader, which replies or forwards each inbox event. */
type TabMessage = { type: 'ping' } | { type: 'pong' } | { type: 'event'; event: InboxEvent };

const LEADER_TIMEOUT_MS = 1_500;

/**
 * Follows the inbox until aborted. One tab, the leader, reads the stream for all tabs. A tab takes over when the leader
 * does not reply to a ping, because the browser may have suspended it. `onNewQuestion` runs in the leader only.
 */
export function followInboxStream(
  person: string,
  onNewQuestion: (question: Question) => void,
  signal: AbortSignal,
): void {
  const channel = new BroadcastChannel(`parley-inbox-${person}`);
  let isLeader = false;
  let takeoverTimer: ReturnType<typeof setTimeout> | undefined;

  const send = (message: TabMessage) => channel.postMessage(message);

  const lead = async (lockSignal: AbortSignal) => {
    isLeader = true;
    clearTimeout(takeoverTimer);
    try {
      for await (const event of streamWithReconnect((signal) => apiClient.inboxEvents({ signal }), lockSignal)) {
        const newQuestion = applyInboxEvent(event);
        send({ type: 'event', event });
        if (newQuestion) onNewQuestion(newQuestion);
      }
    } catch (error) {
      useInbox.setState({ error: error as ParleyError });
    } finally {
      isLeader = false;
    }
  };

  const lock = `parley-inbox-${person}`;
  const waitForLeadership = async () => {
    while (!signal.aborted && !useInbox.getState().error) await runInSingleTab(lock, lead, signal);
  };

  const pingLeader = () => {
    if (isLeader || !navigator.locks) return;
    send({ type: 'ping' });
    clearTimeout(takeoverTimer);
    takeoverTimer = setTimeout(() => void runInSingleTab(lock, lead, signal, { steal: true }), LEADER_TIMEOUT_MS);
  };

  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.type === 'ping' && isLeader) {
      const { questions, ...rest } = useInbox.getState();
      if (questions) send({ type: 'event', event: toSnapshotEvent(questions, rest) });
      else send({ type: 'pong' });
    }
    if (data.type !== 'ping') clearTimeout(takeoverTimer);
    if (data.type === 'event') applyInboxEvent(data.event);
  };

  const removeReconnectListener = onReconnect(pingLeader);
  signal.addEventListener('abort', () => {
    removeReconnectListener();
    clearTimeout(takeoverTimer);
    channel.close();
    useInbox.setState(EMPTY_INBOX, true);
  });
  void waitForLeadership();
  pingLeader();
}

function toSnapshotEvent(
  items: Question[],
  { isTruncated, unreadable }: Pick<InboxState, 'isTruncated' | 'unreadable'>,
): InboxEvent {
  const truncated = isTruncated ? { truncated: true as const } : {};
  return { event: 'snapshot', data: { items, ...truncated, ...(unreadable > 0 ? { unreadable } : {}) } };
}

/** Returns the question if it is new to the inbox. */
function applyInboxEvent(event: InboxEvent): Question | undefined {
  if (event.event === 'snapshot') {
    const { items, truncated: isTruncated = false, unreadable = 0 } = event.data;
    useInbox.setState({ questions: sortByUrgency(items), isTruncated, unreadable, error: undefined });
    return undefined;
  }
  const question = event.data;
  const { questions = [] } = useInbox.getState();
  const others = questions.filter((other) => toQuestionKey(other) !== toQuestionKey(question));
  if (event.event === 'question_answered') {
    cacheResolvedQuestions(question);
    useInbox.setState({ questions: others });
    return undefined;
  }
  useInbox.setState({ questions: insertByUrgency(others, question) });
  return others.length === questions.length ? question : undefined;
}

/** Removes a resolved question at once, without waiting for the inbox event. */
export function markQuestionResolved(question: Question): void {
  cacheResolvedQuestions(question);
  const { questions } = useInbox.getState();
  if (questions?.some((other) => toQuestionKey(other) === toQuestionKey(question)))
    useInbox.setState({
      questions: questions.filter((other) => toQuestionKey(other) !== toQuestionKey(question)),
    });
}

/**
 * Resolved questions, from whichever source was first: the reply to an answer, the inbox, the conversation, or a
 * conflict error. A question resolves only once, so an entry never becomes outdated.
 */
const useResolvedQuestions = create(() => ({ resolved: new Map<QuestionKey, Question>() }));

const MAX_CACHED = 500;

export function cacheResolvedQuestions(...questions: Question[]): void {
  const resolvedQuestions = questions.filter((question) => question.status !== 'pending');
  if (resolvedQuestions.length === 0) return;
  useResolvedQuestions.setState(({ resolved }) => {
    // Drops the oldest entries, whose cards are no longer on the screen.
    const merged = new Map([...resolved].slice(-MAX_CACHED));
    for (const question of resolvedQuestions) merged.set(toQuestionKey(question), question);
    return { resolved: merged };
  });
}

/** Clears the cache when another person signs in. */
export function clearResolvedQuestions(): void {
  useResolvedQuestions.setState({ resolved: new Map() });
}

/** The resolved version of a question if it is known, else the given one. */
export function useLatestQuestion(question: Question): Question {
  return useResolvedQuestions(({ resolved }) => resolved.get(toQuestionKey(question))) ?? question;
}
