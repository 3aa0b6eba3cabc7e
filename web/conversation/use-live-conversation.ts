import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ParleyError } from '#client/parley-error';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { toQuestionKey } from '#presentation/question-list';
import { apiClient } from '../api/client';
import { useInbox } from '../api/live-questions';
import { useIsPageVisible } from '../lib/window-state';
import {
  createWakeSignal,
  followConversationStream,
  type LoadedConversation,
  loadConversationOnce,
  type UpdateConversation,
} from './conversation-stream';
import { addTimelineNotices, hasConversationEnded, type TimelineState } from './timeline-state';

export interface LiveConversation {
  loaded: LoadedConversation | undefined;
  error: ParleyError | undefined;
  /** Checks for changes at once, after an action of this person. */
  refresh: () => void;
  retry: () => void;
}

/** A conversation, followed while this tab is visible and resumed when it becomes visible again. */
export function useLiveConversation(id: string, shouldPollNotices: boolean): LiveConversation {
  const [loaded, setLoaded] = useState<LoadedConversation>();
  const [error, setError] = useState<ParleyError>();
  const [retryCount, setRetryCount] = useState(0);
  const [wakeSignal] = useState(createWakeSignal);
  const latest = useRef(loaded);
  latest.current = loaded;
  const isVisible = useIsPageVisible();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a retry runs the effect again
  useEffect(() => {
    const controller = new AbortController();
    setError(undefined);
    const task = isVisible
      ? followConversationStream(id, latest.current, setLoaded, wakeSignal, controller.signal)
      : loadConversationOnce(id, latest.current, setLoaded, controller.signal);
    task.catch((thrown) => {
      if (!controller.signal.aborted) setError(thrown);
    });
    return () => controller.abort();
  }, [id, isVisible, wakeSignal, retryCount]);

  usePolledNotices(id, loaded?.timeline, shouldPollNotices && isVisible, setLoaded);

  return { loaded, error, refresh: wakeSignal.wake, retry: () => setRetryCount(retryCount + 1) };
}

const NOTICES_POLL_MS = 4_000;

/** Polls for notices, which come without events, if the agents may start sub-agents. */
function usePolledNotices(
  id: string,
  timeline: TimelineState | undefined,
  isEnabled: boolean,
  update: UpdateConversation,
): void {
  const lastEventId = timeline?.lastEventId;
  const isRunning = timeline?.conversation.status === 'running';
  useEffect(() => {
    if (!isEnabled || !isRunning || lastEventId === undefined) return;
    const controller = new AbortController();
    const poll = async () => {
      const response = await apiClient
        .timeline(id, { after: lastEventId, signal: controller.signal })
        .catch(() => undefined);
      if (response)
        update((current) => current && { ...current, timeline: addTimelineNotices(current.timeline, response) });
    };
    const timer = setInterval(() => void poll(), NOTICES_POLL_MS);
    void poll();
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [id, lastEventId, isEnabled, isRunning, update]);
}

const NO_QUESTIONS: Question[] = [];

/** Questions of this conversation's sub-agents. Answered ones stay until the page is left. */
export function useSubAgentQuestions(conversation: Conversation | undefined): Question[] {
  const pending = usePendingSubAgentQuestions(conversation);
  const [questions, setQuestions] = useState<Question[]>(NO_QUESTIONS);
  useEffect(() => {
    setQuestions((previous) => {
      const knownKeys = new Set(previous.map(toQuestionKey));
      const added = pending.filter((question) => !knownKeys.has(toQuestionKey(question)));
      return added.length > 0 ? [...previous, ...added] : previous;
    });
  }, [pending]);
  return questions;
}

/** Fetched only if the inbox has candidates, because a question does not name its top-level conversation. */
function usePendingSubAgentQuestions(conversation: Conversation | undefined): Question[] {
  const { id = '', agent = '' } = conversation ?? {};
  const candidates = useInbox(({ questions = NO_QUESTIONS }) =>
    questions
      .filter(({ conversationId, origin }) => conversationId !== id && origin.slice(0, -1).includes(agent))
      .map(toQuestionKey)
      .join(' '),
  );
  const { data } = useQuery({
    queryKey: ['sub-questions', id, candidates],
    queryFn: ({ signal }) => apiClient.inbox({ conversation: id, limit: 100, signal }),
    enabled: candidates !== '' && conversation !== undefined && !hasConversationEnded(conversation),
    select: ({ items }) => items.filter(({ conversationId }) => conversationId !== id),
  });
  return data ?? NO_QUESTIONS;
}
