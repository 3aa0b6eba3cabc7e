import { create } from 'zustand';
import type { ParleyError } from '#client/parley-error';
import type { InboxEvent } from '#contract/event';
import type { Question } from '#contract/question';
import { keyOf } from '#core/question-key';
import { mostUrgentFirst, withOne } from '#core/urgency';
import { onComeback } from '../connection';
import { parley } from '../parley';
import { listenTo } from './listen';
import { inOneTab } from './one-tab';
import { tellSettled } from './questions';

interface Inbox {
  /** Undefined until they are known. */
  questions: Question[] | undefined;
  isTruncated: boolean;
  /** How many are left out, as the key they were encrypted with is missing. */
  unreadable: number;
  error: ParleyError | undefined;
}

const EMPTY: Inbox = { questions: undefined, isTruncated: false, unreadable: 0, error: undefined };

/** What waits for an answer, most urgent first. */
export const useInbox = create<Inbox>(() => EMPTY);

/** What the tab that listens tells the others, and what they ask of it. */
type Word = { say: 'hello' } | { say: 'here' } | { say: 'event'; event: InboxEvent };

const PATIENCE_MS = 1_500;

/**
 * Follows the inbox until aborted. One tab listens for all; a tab that hears nothing from it when it asks, because the
 * browser has put it to sleep, takes over. `onNew` is called in the tab that listens.
 */
export function followInbox(person: string, onNew: (question: Question) => void, signal: AbortSignal): void {
  const channel = new BroadcastChannel(`parley-inbox-${person}`);
  let isListening = false;
  let sleeping: ReturnType<typeof setTimeout> | undefined;

  const say = (word: Word) => channel.postMessage(word);

  const listen = async (until: AbortSignal) => {
    isListening = true;
    clearTimeout(sleeping);
    try {
      for await (const event of listenTo((signal) => parley.inboxEvents({ signal }), until)) {
        const news = take(event);
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
    while (!signal.aborted && !useInbox.getState().error) await inOneTab(lock, listen, signal);
  };

  const ask = () => {
    if (isListening || !navigator.locks) return;
    say({ say: 'hello' });
    clearTimeout(sleeping);
    sleeping = setTimeout(() => void inOneTab(lock, listen, signal, { steal: true }), PATIENCE_MS);
  };

  channel.onmessage = ({ data }: MessageEvent<Word>) => {
    if (data.say === 'hello' && isListening) {
      const { questions, ...rest } = useInbox.getState();
      if (questions) say({ say: 'event', event: snapshotOf(questions, rest) });
      else say({ say: 'here' });
    }
    if (data.say !== 'hello') clearTimeout(sleeping);
    if (data.say === 'event') take(data.event);
  };

  const stopWatching = onComeback(ask);
  signal.addEventListener('abort', () => {
    stopWatching();
    clearTimeout(sleeping);
    channel.close();
    useInbox.setState(EMPTY, true);
  });
  void queue();
  ask();
}

function snapshotOf(
  items: Question[],
  { isTruncated, unreadable }: Pick<Inbox, 'isTruncated' | 'unreadable'>,
): InboxEvent {
  const truncated = isTruncated ? { truncated: true as const } : {};
  return { event: 'snapshot', data: { items, ...truncated, ...(unreadable > 0 ? { unreadable } : {}) } };
}

/** Gives back the question, where it is one nobody has seen yet. */
function take(event: InboxEvent): Question | undefined {
  if (event.event === 'snapshot') {
    const { items, truncated: isTruncated = false, unreadable = 0 } = event.data;
    useInbox.setState({ questions: mostUrgentFirst(items), isTruncated, unreadable, error: undefined });
    return undefined;
  }
  const question = event.data;
  const { questions = [] } = useInbox.getState();
  const others = questions.filter((other) => keyOf(other) !== keyOf(question));
  if (event.event === 'question_answered') {
    tellSettled(question);
    useInbox.setState({ questions: others });
    return undefined;
  }
  useInbox.setState({ questions: withOne(others, question) });
  return others.length === questions.length ? question : undefined;
}

/** It is settled, as this tab has just learned by other ways: nobody need wait for the inbox to say so. */
export function leaveInbox(question: Question): void {
  tellSettled(question);
  const { questions } = useInbox.getState();
  if (questions?.some((other) => keyOf(other) === keyOf(question)))
    useInbox.setState({ questions: questions.filter((other) => keyOf(other) !== keyOf(question)) });
}
