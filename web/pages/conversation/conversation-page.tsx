import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { NO_WORKER_MESSAGE, questionSummaryLine } from '#presentation/labels';
import { useAgents } from '../../api/queries';
import type { KeyedEntry, TimelineState } from '../../conversation/timeline-state';
import { useLiveConversation, useSubAgentQuestions } from '../../conversation/use-live-conversation';
import { useDocumentTitle } from '../../lib/document-title';
import { useAnswerShortcuts } from '../../question/use-answer-shortcuts';
import { useHasScope } from '../../session/session';
import { buttonClassName } from '../../ui/button';
import { ErrorPanel } from '../../ui/errors';
import { MessageComposer } from './composer';
import { ConversationHeader } from './conversation-header';
import css from './conversation-page.module.css';
import { DetailsPanel } from './details-panel';
import { TimelineList } from './timeline';

/** One conversation: what was said and done, the question that is open, and a place to say more. */
export function ConversationDetailPage({ id }: { id: string }) {
  const agents = useAgents().data ?? [];
  const isDelegating = agents.some(({ subagents }) => subagents.length > 0);
  const { known, error, refresh, retry } = useLiveConversation(id, isDelegating);
  const mayWrite = useHasScope('conversations:write');
  const story = known?.story;
  const title = story?.conversation.title || id;
  useDocumentTitle(title);
  const subQuestions = useSubAgentQuestions(story?.conversation);
  const scroller = useRef<HTMLDivElement>(null);
  const { isBehind, toEnd } = useStickToBottom(scroller, story, subQuestions);
  useAnswerShortcuts(scroller);

  if (error) return <ConversationLoadError message={error.message} isMissing={error.status === 404} onRetry={retry} />;
  if (!story) return <p className={css.loading}>Loading the conversation …</p>;
  return (
    <div className={css.page}>
      <ConversationHeader conversation={story.conversation} onCancelled={refresh} />
      <div className={css.columns}>
        <div className={css.middle}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <section ref={scroller} className={css.scroller} aria-label="Timeline" tabIndex={0}>
            <div className={css.column}>
              <h2 className="unseen">Timeline</h2>
              {known.isPartial && (
                <p className={css.partial} role="status">
                  {NO_WORKER_MESSAGE} Until then, what was said before cannot be shown.
                </p>
              )}
              <TimelineList story={story} subQuestions={subQuestions} />
              <ConversationFailure conversation={story.conversation} />
            </div>
          </section>
          {isBehind && (
            <button type="button" className={`${buttonClassName()} ${css.newer}`} onClick={toEnd}>
              To the latest
            </button>
          )}
          {mayWrite && <MessageComposer conversation={story.conversation} entries={story.entries} onSent={refresh} />}
        </div>
        <DetailsPanel conversation={story.conversation} />
      </div>
      <ConversationLiveRegion story={story} />
    </div>
  );
}

function ConversationLoadError({
  message,
  isMissing,
  onRetry,
}: {
  message: string;
  isMissing: boolean;
  onRetry: () => void;
}) {
  return (
    <div className={css.refused}>
      <h1 className="unseen">Conversation</h1>
      <ErrorPanel
        title={isMissing ? 'There is no such conversation' : 'This conversation cannot be shown'}
        {...(isMissing ? {} : { onRetry })}
      >
        <p>{message}</p>
        <Link href="/conversations">To all conversations</Link>
      </ErrorPanel>
    </div>
  );
}

/** Why it came to an end that nobody wished for. How it is taken up again, the box below says. */
function ConversationFailure({ conversation: { error, status } }: { conversation: Conversation }) {
  if (!error) return null;
  return (
    <ErrorPanel title={status === 'cancelled' ? 'This conversation was cancelled' : 'This conversation failed'}>
      {error.message}
    </ErrorPanel>
  );
}

const MAX_ANNOUNCED_LENGTH = 300;

/** For ears: what is new, once it is whole. What is read out while it is written would stutter. */
function ConversationLiveRegion({ story: { entries, conversation } }: { story: TimelineState }) {
  const last = entries.findLast(isAnnounced);
  return (
    <div className="unseen" role="status">
      {last && announcementText(last, conversation.agent)}
    </div>
  );
}

function isAnnounced(entry: KeyedEntry): boolean {
  return entry.kind === 'question' || (entry.kind === 'message' && entry.role === 'assistant');
}

function announcementText(entry: KeyedEntry, agent: string): string {
  if (entry.kind === 'question' && entry.question.status === 'pending')
    return `${agent} asks: ${questionSummaryLine(entry.question)}`;
  return entry.kind === 'message' ? `${agent} says: ${entry.text.slice(0, MAX_ANNOUNCED_LENGTH)}` : '';
}

/** So close to the end one means to be at it. */
const NEAR_BOTTOM_PX = 80;
const TOP_GAP_PX = 16;

/** Whoever is at the end stays there as more comes; whoever reads further up is left alone. */
function useStickToBottom(
  scroller: RefObject<HTMLElement | null>,
  story: TimelineState | undefined,
  subQuestions: readonly Question[],
) {
  const isAtEnd = useRef(true);
  const [isBehind, setBehind] = useState(false);
  const hasStory = story !== undefined;

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const card = findOpenCard(element);
    element.scrollTop = element.scrollHeight;
    // Where what is asked is longer than the window, its beginning is where one begins to read.
    const above = card ? card.getBoundingClientRect().top - element.getBoundingClientRect().top : 0;
    if (above < 0) element.scrollTop += above - TOP_GAP_PX;
  }, [scroller]);

  useEffect(() => {
    const element = scroller.current;
    if (!element || !hasStory) return;
    const look = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_BOTTOM_PX;
      setBehind(!isAtEnd.current && !isInView(findOpenCard(element), element));
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => element.removeEventListener('scroll', look);
  }, [scroller, hasStory]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is more to see
  useLayoutEffect(() => {
    if (isAtEnd.current) toEnd();
  }, [story?.entries, story?.writing, subQuestions, toEnd]);

  return { isBehind, toEnd };
}

/** What somebody is asked is what they came for: it need not be the end. */
function findOpenCard(scroller: HTMLElement): Element | null {
  return scroller.querySelector('[data-question][data-status="pending"]');
}

function isInView(card: Element | null, scroller: HTMLElement): boolean {
  if (!card) return false;
  const { top, bottom } = card.getBoundingClientRect();
  const window = scroller.getBoundingClientRect();
  return top < window.bottom && bottom > window.top;
}
