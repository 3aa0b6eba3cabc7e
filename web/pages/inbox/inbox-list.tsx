import { useVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual';
import { ShieldAlert } from 'lucide-react';
import { memo, useLayoutEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { Question } from '#contract/question';
import { looksDestructive } from '#presentation/confirmation';
import { describeOutcome, formatOrigin, questionSummaryLine } from '#presentation/labels';
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
  at: QuestionKey | undefined;
  query: string;
}

const ROW_HEIGHT_PX = 120;

/** Only the rows in sight are there, so that thousands cost no more than twenty. */
export function InboxList({ questions, isLoading, at, query }: InboxListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: questions.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    getItemKey: (index) => toQuestionKey(questions[index] as Question),
    overscan: 6,
    // On a phone it is not in sight while a question is open, and has no height.
    // In whole pixels, as a list is scrolled: parts of one would add up while rows come and go.
    measureElement: (row) => Math.round(row.getBoundingClientRect().height) || ROW_HEIGHT_PX,
  });
  useScrollAnchor(virtual);

  const place = questions.findIndex((question) => toQuestionKey(question) === at);
  const isIn = place >= 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that changes does not pull one back
  useLayoutEffect(() => {
    if (isIn) virtual.scrollToIndex(place, { align: 'auto' });
  }, [at, isIn]);

  if (isLoading) return <InboxLoading />;
  return (
    <div ref={scroller} className={css.scroller}>
      <ul className={css.rows} style={{ height: virtual.getTotalSize() }} aria-label="Questions that wait">
        {virtual.getVirtualItems().map(({ index, key, start }) => (
          <li
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            className={css.item}
            style={{ transform: `translateY(${start}px)` }}
            aria-setsize={questions.length}
            aria-posinset={index + 1}
          >
            <InboxRow question={questions[index] as Question} isAt={key === at} query={query} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function InboxLoading() {
  return (
    <div className={css.loading} aria-busy="true">
      <p className="unseen">Loading the inbox …</p>
      <i />
      <i />
      <i />
    </div>
  );
}

interface InboxRowProps {
  question: Question;
  isAt: boolean;
  query: string;
}

const OUTCOME_TONE = {
  answered: 'good',
  declined: 'plain',
  timed_out: 'warn',
  cancelled: 'plain',
  pending: 'plain',
} as const;

const InboxRow = memo(function Row({ question: given, isAt, query }: InboxRowProps) {
  const question = useLatestQuestion(given);
  const title = useConversation(question.conversationId)?.title;
  const isOpen = question.status === 'pending';
  const isGrave = looksDestructive(question);
  return (
    <Link
      href={`/questions/${toQuestionKey(question)}${query}`}
      className={joinClassNames(css.row, isAt && css.at, isGrave && css.grave, !isOpen && css.over)}
      aria-current={isAt ? 'true' : undefined}
    >
      <span className={css.line}>
        <span className={css.agent}>{formatOrigin(question.origin)}</span>
        <TimeAgo at={question.askedAt} />
      </span>
      <span className={css.headline} dir="auto">
        {questionSummaryLine(question)}
      </span>
      <span className={css.about} dir="auto">
        {title ?? question.conversationId}
      </span>
      <span className={css.pills}>
        {isOpen ? (
          <DeadlinePill question={question} />
        ) : (
          <Pill tone={OUTCOME_TONE[question.status]}>{describeOutcome(question)}</Pill>
        )}
        {question.confirms && (
          <Pill tone={isGrave ? 'danger' : 'accent'}>
            <ShieldAlert size={12} aria-hidden="true" /> Confirm
          </Pill>
        )}
        {question.fields.length > 1 && <Pill>{question.fields.length} fields</Pill>}
      </span>
    </Link>
  );
});

const never = () => false;

/**
 * Rows that come, go or turn out higher above what is in sight move nothing that is in sight. By how far the list is
 * scrolled this moment: what the virtualizer knows of that is a frame old, and changes come quicker.
 */
function useScrollAnchor(virtual: Virtualizer<HTMLDivElement, Element>): void {
  const measured = useRef<readonly VirtualItem[]>(undefined);
  const before = useRef<readonly VirtualItem[]>([]);
  virtual.shouldAdjustScrollPositionOnItemSizeChange = never;
  useLayoutEffect(() => {
    const { measurementsCache, scrollElement } = virtual;
    if (measured.current === measurementsCache) return;
    measured.current = measurementsCache;
    const known = before.current;
    // A copy: each item is made when it is first read, and from numbers that the next list overwrites.
    before.current = [...measurementsCache];
    const top = scrollElement?.scrollTop ?? 0;
    // At the top one wants to see what is new there.
    if (!scrollElement || top === 0) return;
    const starts = new Map(before.current.map(({ key, start }) => [key, start]));
    const anchor = known.find(({ key, end }) => end > top && starts.has(key));
    if (anchor) scrollElement.scrollTop = top + (starts.get(anchor.key) ?? 0) - anchor.start;
  });
}
