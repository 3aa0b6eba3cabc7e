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
  known: LoadedConversation | undefined;
  error: ParleyError | undefined;
  /** Something was done that it should show: look at once. */
  refresh: () => void;
  retry: () => void;
}

/** A conversation, live while somebody looks at this tab; one that is hidden goes on where it was when it is shown again. */
export function useLiveConversation(id: string, wantsNotices: boolean): LiveConversation {
  const [known, setKnown] = useState<LoadedConversation>();
  const [error, setError] = useState<ParleyError>();
  const [tries, setTries] = useState(0);
  const [bell] = useState(createWakeSignal);
  const latest = useRef(known);
  latest.current = known;
  const isWatched = useIsPageVisible();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a further try begins anew
  useEffect(() => {
    const leaving = new AbortController();
    setError(undefined);
    const work = isWatched
      ? followConversationStream(id, latest.current, setKnown, bell, leaving.signal)
      : loadConversationOnce(id, latest.current, setKnown, leaving.signal);
    work.catch((thrown) => {
      if (!leaving.signal.aborted) setError(thrown);
    });
    return () => leaving.abort();
  }, [id, isWatched, bell, tries]);

  usePolledNotices(id, known?.story, wantsNotices && isWatched, setKnown);

  return { known, error, refresh: bell.ring, retry: () => setTries(tries + 1) };
}

const NOTICES_POLL_MS = 4_000;

/** Notices come with no event; where sub-agents may be put to work they are looked for. */
function usePolledNotices(
  id: string,
  story: TimelineState | undefined,
  isWanted: boolean,
  show: UpdateConversation,
): void {
  const last = story?.last;
  const isRunning = story?.conversation.status === 'running';
  useEffect(() => {
    if (!isWanted || !isRunning || last === undefined) return;
    const leaving = new AbortController();
    const look = async () => {
      const timeline = await apiClient.timeline(id, { after: last, signal: leaving.signal }).catch(() => undefined);
      if (timeline) show((now) => now && { ...now, story: addTimelineNotices(now.story, timeline) });
    };
    const timer = setInterval(() => void look(), NOTICES_POLL_MS);
    void look();
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [id, last, isWanted, isRunning, show]);
}

const NO_QUESTIONS: Question[] = [];

/** What the agents that work for this one ask. Answered ones stay while one looks on. */
export function useSubAgentQuestions(conversation: Conversation | undefined): Question[] {
  const waiting = usePendingSubAgentQuestions(conversation);
  const [shown, setShown] = useState<Question[]>(NO_QUESTIONS);
  useEffect(() => {
    setShown((last) => {
      const known = new Set(last.map(toQuestionKey));
      const news = waiting.filter((question) => !known.has(toQuestionKey(question)));
      return news.length > 0 ? [...last, ...news] : last;
    });
  }, [waiting]);
  return shown;
}

/** Asked for only when the inbox has some that might be among them: a question does not say whom it is for in the end. */
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
