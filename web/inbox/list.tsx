import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef } from 'react';
import type { Question } from '#contract/question';
import { keyOf, type QuestionKey } from '#core/question-key';
import css from './list.module.css';
import { Row } from './row';
import { useAnchor } from './use-anchor';

interface Props {
  questions: Question[];
  isLoading: boolean;
  at: QuestionKey | undefined;
  query: string;
}

const ROW = 120;

/** Only the rows in sight are there, so that thousands cost no more than twenty. */
export function List({ questions, isLoading, at, query }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: questions.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    getItemKey: (index) => keyOf(questions[index] as Question),
    overscan: 6,
    // On a phone it is not in sight while a question is open, and has no height.
    // In whole pixels, as a list is scrolled: parts of one would add up while rows come and go.
    measureElement: (row) => Math.round(row.getBoundingClientRect().height) || ROW,
  });
  useAnchor(virtual);

  const place = questions.findIndex((question) => keyOf(question) === at);
  const isIn = place >= 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that changes does not pull one back
  useLayoutEffect(() => {
    if (isIn) virtual.scrollToIndex(place, { align: 'auto' });
  }, [at, isIn]);

  if (isLoading) return <Loading />;
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
            <Row question={questions[index] as Question} isAt={key === at} query={query} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Loading() {
  return (
    <div className={css.loading} aria-busy="true">
      <p className="unseen">Loading the inbox …</p>
      <i />
      <i />
      <i />
    </div>
  );
}
