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

/** One conversation: its timeline, the open question, and the message composer. */
export function ConversationDetailPage({ id }: { id: string }) {
  const agents = useAgents().data ?? [];
  const hasSubAgents = agents.some(({ subagents }) => subagents.length > 0);
  const { loaded, error, refresh, retry } = useLiveConversation(id, hasSubAgents);
  const canWrite = useHasScope('conversations:write');
  const timeline = loaded?.timeline;
  const title = timeline?.conversation.title || id;
  useDocumentTitle(title);
  const subAgentQuestions = useSubAgentQuestions(timeline?.conversation);
  const scrollerRef = useRef<HTMLDivElement>(null);
  const { canJumpToLatest, scrollToEnd } = useStickToBottom(scrollerRef, timeline, subAgentQuestions);
  useAnswerShortcuts(scrollerRef);

  if (error) return <ConversationLoadError message={error.message} isMissing={error.status === 404} onRetry={retry} />;
  if (!timeline) return <p className={css.loading}>Loading conversation…</p>;
  return (
    <div className={css.page}>
      <ConversationHeader conversation={timeline.conversation} onCancelled={refresh} />
      <div className={css.columns}>
        <div className={css.middle}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <section ref={scrollerRef} className={css.scroller} aria-label="Timeline" tabIndex={0}>
            <div className={css.column}>
              <h2 className="visually-hidden">Timeline</h2>
              {loaded.isPartial && (
                <p className={css.partial} role="status">
                  {NO_WORKER_MESSAGE} Earlier messages are unavailable until then.
                </p>
              )}
              <TimelineList timeline={timeline} subAgentQuestions={subAgentQuestions} />
              <ConversationFailure conversation={timeline.conversation} />
            </div>
          </section>
          {canJumpToLatest && (
            <button type="button" className={`${buttonClassName()} ${css.jumpToLatest}`} onClick={scrollToEnd}>
              Jump to latest
            </button>
          )}
          {canWrite && (
            <MessageComposer conversation={timeline.conversation} entries={timeline.entries} onSent={refresh} />
          )}
        </div>
        <DetailsPanel conversation={timeline.conversation} />
      </div>
      <ConversationLiveRegion timeline={timeline} />
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
    <div className={css.errorPage}>
      <h1 className="visually-hidden">Conversation</h1>
      <ErrorPanel
        title={isMissing ? 'Conversation not found' : "Couldn't load conversation"}
        {...(isMissing ? {} : { onRetry })}
      >
        <p>{message}</p>
        <Link href="/conversations">All conversations</Link>
      </ErrorPanel>
    </div>
  );
}

/** Shows the error of a conversation that failed or was cancelled. The composer below says how to resume it. */
function ConversationFailure({ conversation: { error, status } }: { conversation: Conversation }) {
  if (!error) return null;
  return (
    <ErrorPanel title={status === 'cancelled' ? 'This conversation was cancelled' : 'This conversation failed'}>
      {error.message}
    </ErrorPanel>
  );
}

const MAX_ANNOUNCED_LENGTH = 300;

/** Announces the latest complete entry to screen readers. A partial text would be read in fragments. */
function ConversationLiveRegion({ timeline: { entries, conversation } }: { timeline: TimelineState }) {
  const last = entries.findLast(isAnnounced);
  return (
    <div className="visually-hidden" role="status">
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

/** This close to the end counts as being at the end. */
const NEAR_BOTTOM_PX = 80;
const TOP_GAP_PX = 16;

/** Keeps the view at the end as entries arrive, unless the person has scrolled up. */
function useStickToBottom(
  scrollerRef: RefObject<HTMLElement | null>,
  timeline: TimelineState | undefined,
  subAgentQuestions: readonly Question[],
) {
  const isAtBottom = useRef(true);
  const [canJumpToLatest, setCanJumpToLatest] = useState(false);
  const isLoaded = timeline !== undefined;

  const scrollToEnd = useCallback(() => {
    const element = scrollerRef.current;
    if (!element) return;
    const card = findOpenCard(element);
    element.scrollTop = element.scrollHeight;
    // If the question is taller than the view, show its start.
    const cardOffset = card ? card.getBoundingClientRect().top - element.getBoundingClientRect().top : 0;
    if (cardOffset < 0) element.scrollTop += cardOffset - TOP_GAP_PX;
  }, [scrollerRef]);

  useEffect(() => {
    const element = scrollerRef.current;
    if (!element || !isLoaded) return;
    const updatePosition = () => {
      isAtBottom.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_BOTTOM_PX;
      setCanJumpToLatest(!isAtBottom.current && !isInView(findOpenCard(element), element));
    };
    element.addEventListener('scroll', updatePosition, { passive: true });
    return () => element.removeEventListener('scroll', updatePosition);
  }, [scrollerRef, isLoaded]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever there is more content
  useLayoutEffect(() => {
    if (isAtBottom.current) scrollToEnd();
  }, [timeline?.entries, timeline?.partialText, subAgentQuestions, scrollToEnd]);

  return { canJumpToLatest, scrollToEnd };
}

/** The open question counts as the latest content, even if it is not the last entry. */
function findOpenCard(scroller: HTMLElement): Element | null {
  return scroller.querySelector('[data-question][data-status="pending"]');
}

function isInView(card: Element | null, scroller: HTMLElement): boolean {
  if (!card) return false;
  const { top, bottom } = card.getBoundingClientRect();
  const viewport = scroller.getBoundingClientRect();
  return top < viewport.bottom && bottom > viewport.top;
}
