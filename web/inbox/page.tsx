import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import type { Question } from '#contract/question';
import { keyOf, type QuestionKey } from '#core/question-key';
import { NO_WORKER, unreadableText } from '#core/words';
import { say } from '../design/toast';
import { Trouble } from '../design/trouble';
import { useWide } from '../design/use-wide';
import { useInbox } from '../live/inbox';
import { useNoWorker } from '../live/use-no-worker';
import { useAnswerKeys } from '../question/keys';
import { useTitle } from '../shell/page-title';
import { useShortcuts } from '../shell/shortcuts';
import { Announcer } from './announcer';
import { Detail } from './detail';
import { AllDone, NothingFound } from './empty';
import { Filters } from './filters';
import { List } from './list';
import css from './page.module.css';
import { type Filter, filtered, isFiltering, neighbourOf, readFilter } from './shown';
import { useShown } from './use-shown';

/** What waits for an answer: a list, and beside it the question one is at. On a phone one or the other. */
export function InboxPage({ selected }: { selected?: QuestionKey }) {
  useTitle('Inbox');
  const [, go] = useLocation();
  const [search] = useSearchParams();
  const isWide = useWide();
  const { questions, isTruncated, unreadable, error } = useInbox();
  const hasNoWorker = useNoWorker();
  const filter = useMemo(() => readFilter(search), [search]);
  const waiting = useMemo(() => questions && filtered(questions, filter), [questions, filter]);

  // Without one in the address it is the most urgent, and stays so when one more urgent comes.
  const [first, setFirst] = useState<QuestionKey>();
  const at = selected ?? (isWide ? first : undefined);
  const list = useRef<HTMLDivElement>(null);
  const detail = useRef<HTMLElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const shown = useShown(waiting, filter, at, list);
  const current = shown.find((question) => keyOf(question) === at);
  const top = shown[0];
  useEffect(() => {
    if (!selected && !current) setFirst(top && keyOf(top));
  }, [selected, current, top]);

  const query = search.size > 0 ? `?${search}` : '';
  const goTo = useCallback(
    (question: Question | undefined, replace = true) =>
      go(question ? `/questions/${keyOf(question)}${query}` : `/${query}`, { replace }),
    [go, query],
  );
  const move = (by: number) => {
    const place = shown.findIndex((question) => keyOf(question) === at);
    const next = shown[place + by] ?? (place < 0 ? top : undefined);
    if (next) goTo(next);
  };
  const settled = (question: Question) => {
    say(SAID[question.status] ?? 'Answer sent.');
    const next = neighbourOf(shown, keyOf(question));
    goTo(isWide ? next : undefined);
    if (!next) setFirst(undefined);
    // To what is shown next: the button that had the focus is gone.
    (isWide ? detail : title).current?.focus();
  };

  useAnswerKeys(detail);
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    o: () => at && go(`/conversations/${at.split('/')[0]}`),
  });

  if (error && !questions) return <Refused message={error.message} />;
  const isEmpty = waiting?.length === 0 && !at;
  return (
    <div className={css.inbox} data-open={selected ? true : undefined}>
      <section className={css.side} aria-labelledby="inbox-title">
        <header className={css.head}>
          <h1 id="inbox-title" ref={title} tabIndex={-1}>
            Inbox
          </h1>
          <Filters questions={questions ?? []} filter={filter} />
        </header>
        {isTruncated && (
          <p className={css.note}>More wait than are shown here: the most urgent come first.</p>
        )}
        {hasNoWorker && (
          <p className={css.note} role="status">
            {NO_WORKER}
          </p>
        )}
        {unreadable > 0 && <p className={css.note}>{unreadableText(unreadable)}</p>}
        <div ref={list} className={css.list}>
          {waiting?.length === 0 && !isWide && <Nothing filter={filter} />}
          <List questions={shown} isLoading={!questions} at={at} query={query} />
        </div>
      </section>
      <Announcer shown={shown} at={at} />
      <section ref={detail} className={css.detail} aria-label="Question" tabIndex={-1}>
        {at && <Detail key={at} at={at} question={current} query={query} onSettled={settled} />}
        {isEmpty && isWide && <Nothing filter={filter} />}
      </section>
    </div>
  );
}

const SAID: Partial<Record<Question['status'], string>> = {
  declined: 'Declined.',
  pending: 'Your answer is safe, and acted on as soon as a worker is running.',
};

function Nothing({ filter }: { filter: Filter }) {
  return isFiltering(filter) ? <NothingFound /> : <AllDone />;
}

function Refused({ message }: { message: string }) {
  return (
    <div className={css.refused}>
      <h1 className="unseen">Inbox</h1>
      <Trouble title="The inbox cannot be shown">{message}</Trouble>
    </div>
  );
}
