import { useVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual';
import { ShieldAlert } from 'lucide-react';
import { memo, useLayoutEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { Question } from '#contract/question';
import { describeOutcome, formatOrigin } from '#presentation/labels';
import { type QuestionKey, toQuestionKey } from '#presentation/question-list';
import { useLatestQuestion } from '../../api/live-questions';
import { useConversation } from '../../api/queries';
import { joinClassNames } from '../../lib/class-names';
import { DeadlinePill } from '../../question/question-card';
import { Pill } from '../../ui/pill';
import { TimeAgo } from '../../ui/time';
import css from './inbox-list.module.css';

interface InboxListProps {
  questions: Question[];
  isLoading: boolean;
  selectedKey: QuestionKey | undefined;
  searchString: string;
}

const ROW_HEIGHT_PX = 120;

/** Renders only the visible rows, so that thousands cost no more than twenty. */
export function InboxList({ questions, isLoading, selectedKey, searchString }: InboxListProps) {
  const scrollerRef = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: questions.length,
    getScrollElement: () => scrollerRef.current,
    estimateSize: () => ROW_HEIGHT_PX,
    getItemKey: (index) => toQuestionKey(questions[index] as Question),
    overscan: 6,
    // On a phone, the list is hidden and has no height while a question is open. Heights are rounded to whole pixels,
    // because fractions would add up as rows come and go.
    measureElement: (row) => Math.round(row.getBoundingClientRect().height) || ROW_HEIGHT_PX,
  });
  useScrollAnchor(virtualizer);

  const selectedIndex = questions.findIndex((question) => toQuestionKey(question) === selectedKey);
  const isListed = selectedIndex >= 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed list must not scroll back to the selection
  useLayoutEffect(() => {
    if (isListed) virtualizer.scrollToIndex(selectedIndex, { align: 'auto' });
  }, [selectedKey, isListed]);

  if (isLoading) return <InboxLoading />;
  return (
    <div ref={scrollerRef} className={css.scroller}>
      <ul className={css.rows} style={{ height: virtualizer.getTotalSize() }} aria-label="Open questions">
        {virtualizer.getVirtualItems().map(({ index, key: questionKey, start }) => (
          <li
            key={questionKey}
            ref={virtualizer.measureElement}
            data-index={index}
            className={css.item}
            style={{ transform: `translateY(${start}px)` }}
            aria-setsize={questions.length}
            aria-posinset={index + 1}
          >
            <InboxRow
              question={questions[index] as Question}
              isSelected={questionKey === selectedKey}
              searchString={searchString}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

function InboxLoading() {
  return (
    <div className={css.loading} aria-busy="true">
      <p className="visually-hidden">Loading inbox…</p>
      <i />
      <i />
      <i />
    </div>
  );
}

interface InboxRowProps {
  question: Question;
  isSelected: boolean;
  searchString: string;
}

const OUTCOME_TONE = {
  answered: 'good',
  declined: 'plain',
  timed_out: 'warn',
  cancelled: 'plain',
  pending: 'plain',
} as const;

const InboxRow = memo(function InboxRow({ question: initialQuestion, isSelected, searchString }: InboxRowProps) {
  const question = useLatestQuestion(initialQuestion);
  const title = useConversation(question.conversationId)?.title;
  const isOpen = question.status === 'pending';
  const isDestructive = question.confirms?.destructive === true;
  return (
    <Link
      href={`/questions/${toQuestionKey(question)}${searchString}`}
      className={joinClassNames(
        css.row,
        isSelected && css.selected,
        isDestructive && css.destructive,
        !isOpen && css.resolved,
      )}
      aria-current={isSelected ? 'true' : undefined}
    >
      <span className={css.topLine}>
        <span className={css.agent}>{formatOrigin(question.origin)}</span>
        <TimeAgo at={question.askedAt} />
      </span>
      <span className={css.summary} dir="auto">
        {question.fields[0]?.question}
      </span>
      <span className={css.conversationTitle} dir="auto">
        {title ?? question.conversationId}
      </span>
      <span className={css.pills}>
        {isOpen ? (
          <DeadlinePill question={question} />
        ) : (
          <Pill tone={OUTCOME_TONE[question.status]}>{describeOutcome(question)}</Pill>
        )}
        {question.confirms && (
          <Pill tone={isDestructive ? 'danger' : 'accent'}>
            <ShieldAlert size={12} aria-hidden="true" /> Approval
          </Pill>
        )}
        {question.fields.length > 1 && <Pill>{question.fields.length} questions</Pill>}
      </span>
    </Link>
  );
});

const neverAdjust = () => false;

/**
 * Keeps the visible rows in place when rows above them come, go or change height. Uses the current scroll position,
 * because the virtualizer's own is one frame old.
 */
function useScrollAnchor(virtualizer: Virtualizer<HTMLDivElement, Element>): void {
  const lastMeasurements = useRef<readonly VirtualItem[]>(undefined);
  const previousItems = useRef<readonly VirtualItem[]>([]);
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = neverAdjust;
  useLayoutEffect(() => {
    const { measurementsCache, scrollElement } = virtualizer;
    if (lastMeasurements.current === measurementsCache) return;
    lastMeasurements.current = measurementsCache;
    const oldItems = previousItems.current;
    // A copy, because the virtualizer creates items lazily from values that the next list overwrites.
    previousItems.current = [...measurementsCache];
    const top = scrollElement?.scrollTop ?? 0;
    // At the top, new rows should be visible.
    if (!scrollElement || top === 0) return;
    const starts = new Map(previousItems.current.map(({ key, start }) => [key, start]));
    const anchor = oldItems.find(({ key, end }) => end > top && starts.has(key));
    if (anchor) scrollElement.scrollTop = top + (starts.get(anchor.key) ?? 0) - anchor.start;
  });
}
