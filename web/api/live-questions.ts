import { create } from 'zustand';
import type { ParleyError } from '#client/parley-error';
import type { InboxEvent } from '#contract/events';
import type { Question } from '#contract/question';
import { insertByUrgency, type QuestionKey, sortByUrgency, toQuestionKey } from '#presentation/question-list';
import { apiClient } from './client';
import { onReconnect } from './connection';
import { runInSingleTab, streamWithReconnect } from './stream';

interface InboxState {
  /** Undefined until they are known. */
  questions: Question[] | undefined;
  isTruncated: boolean;
  /** How many are left out, as the key they were encrypted with is missing. */
  unreadable: number;
  error: ParleyError | undefined;
}

const EMPTY_INBOX: InboxState = { questions: undefined, isTruncated: false, unreadable: 0, error: undefined };

/** What waits for an answer, most urgent first. */
export const useInbox = create<InboxState>(() => EMPTY_INBOX);

/** What the tab that listens tells the others, and what they ask of it. */
type TabMessage = { say: 'hello' } | { say: 'here' } | { say: 'event'; event: InboxEvent };

const LEADER_TIMEOUT_MS = 1_500;

/**
 * Follows the inbox until aborted. One tab listens for all; a tab that hears nothing from it when it asks, because the
 * browser has put it to sleep, takes over. `onNew` is called in the tab that listens.
 */
export function followInboxStream(person: string, onNew: (question: Question) => void, signal: AbortSignal): void {
  const channel = new BroadcastChannel(`parley-inbox-${person}`);
  let isListening = false;
  let sleeping: ReturnType<typeof setTimeout> | undefined;

  const say = (word: TabMessage) => channel.postMessage(word);

  const listen = async (until: AbortSignal) => {
    isListening = true;
    clearTimeout(sleeping);
    try {
      for await (const event of streamWithReconnect((signal) => apiClient.inboxEvents({ signal }), until)) {
        const news = applyInboxEvent(event);
        say({ say: 'event', event });
        if (news) onNew(news);
      }
    } catch (error) {
      useInbox.setState({ error: error as ParleyError });
    } finally {
      isListening = false;
    }
  };

  const lock = `parley-inbox-${person}`;
  const queue = async () => {
    while (!signal.aborted && !useInbox.getState().error) await runInSingleTab(lock, listen, signal);
  };

  const ask = () => {
    if (isListening || !navigator.locks) return;
    say({ say: 'hello' });
    clearTimeout(sleeping);
    sleeping = setTimeout(() => void runInSingleTab(lock, listen, signal, { steal: true }), LEADER_TIMEOUT_MS);
  };

  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.say === 'hello' && isListening) {
      const { questions, ...rest } = useInbox.getState();
      if (questions) say({ say: 'event', event: toSnapshotEvent(questions, rest) });
      else say({ say: 'here' });
    }
    if (data.say !== 'hello') clearTimeout(sleeping);
    if (data.say === 'event') applyInboxEvent(data.event);
  };

  const stopWatching = onReconnect(ask);
  signal.addEventListener('abort', () => {
    stopWatching();
    clearTimeout(sleeping);
    channel.close();
    useInbox.setState(EMPTY_INBOX, true);
  });
  void queue();
  ask();
}

function toSnapshotEvent(
  items: Question[],
  { isTruncated, unreadable }: Pick<InboxState, 'isTruncated' | 'unreadable'>,
): InboxEvent {
  const truncated = isTruncated ? { truncated: true as const } : {};
  return { event: 'snapshot', data: { items, ...truncated, ...(unreadable > 0 ? { unreadable } : {}) } };
}

/** Gives back the question, where it is one nobody has seen yet. */
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

/** It is settled, as this tab has just learned by other ways: nobody need wait for the inbox to say so. */
export function markQuestionResolved(question: Question): void {
  cacheResolvedQuestions(question);
  const { questions } = useInbox.getState();
  if (questions?.some((other) => toQuestionKey(other) === toQuestionKey(question)))
    useInbox.setState({
      questions: questions.filter((other) => toQuestionKey(other) !== toQuestionKey(question)),
    });
}

/**
 * How questions ended, whoever told first: the reply to one's own answer, the inbox, the conversation, or a refusal
 * because somebody else was quicker. A question is settled once, so what is in here is never wrong.
 */
const useResolvedQuestions = create(() => ({ settled: new Map<QuestionKey, Question>() }));

const MAX_CACHED = 500;

export function cacheResolvedQuestions(...questions: Question[]): void {
  const news = questions.filter((question) => question.status !== 'pending');
  if (news.length === 0) return;
  useResolvedQuestions.setState(({ settled }) => {
    // Of the oldest nobody looks at the card any more.
    const next = new Map([...settled].slice(-MAX_CACHED));
    for (const question of news) next.set(toQuestionKey(question), question);
    return { settled: next };
  });
}

/** Another person is at this screen now. */
export function clearResolvedQuestions(): void {
  useResolvedQuestions.setState({ settled: new Map() });
}

/** The question as it stands, where what is at hand may be older. */
export function useLatestQuestion(question: Question): Question {
  return useResolvedQuestions(({ settled }) => settled.get(toQuestionKey(question))) ?? question;
}
