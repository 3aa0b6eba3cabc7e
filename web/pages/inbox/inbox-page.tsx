import { Coffee, SearchX } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import type { Question } from '#contract/question';
import { describeUnreadable, formatOrigin, NO_WORKER_MESSAGE, questionSummaryLine } from '#presentation/labels';
import { type QuestionKey, toQuestionKey } from '#presentation/question-list';
import { useInbox } from '../../api/live-questions';
import { useHasNoWorker } from '../../api/queries';
import { useDocumentTitle } from '../../lib/document-title';
import { useShortcuts } from '../../lib/shortcuts';
import { useIsWideScreen } from '../../lib/window-state';
import { useAnswerShortcuts } from '../../question/use-answer-shortcuts';
import { useHasScope } from '../../session/session';
import { Button, buttonClassName } from '../../ui/button';
import { EmptyState } from '../../ui/empty-state';
import { ErrorPanel } from '../../ui/errors';
import { showToast } from '../../ui/toast';
import { InboxFilterBar } from './filter-bar';
import { filterInboxQuestions, type InboxPageFilter, isInboxFiltered, parseInboxPageFilter } from './inbox-filter';
import { InboxList } from './inbox-list';
import css from './inbox-page.module.css';
import { QuestionDetail } from './question-detail';
import { findNeighbourQuestion, useVisibleQuestions } from './visible-questions';

/** What waits for an answer: a list, and beside it the question one is at. On a phone one or the other. */
export function InboxPage({ selected }: { selected?: QuestionKey }) {
  useDocumentTitle('Inbox');
  const [, go] = useLocation();
  const [search] = useSearchParams();
  const isWide = useIsWideScreen();
  const { questions, isTruncated, unreadable, error } = useInbox();
  const hasNoWorker = useHasNoWorker();
  const filter = useMemo(() => parseInboxPageFilter(search), [search]);
  const waiting = useMemo(() => questions && filterInboxQuestions(questions, filter), [questions, filter]);

  // Without one in the address it is the most urgent, and stays so when one more urgent comes.
  const [first, setFirst] = useState<QuestionKey>();
  const at = selected ?? (isWide ? first : undefined);
  const list = useRef<HTMLDivElement>(null);
  const detail = useRef<HTMLElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const shown = useVisibleQuestions(waiting, filter, at, list);
  const current = shown.find((question) => toQuestionKey(question) === at);
  const top = shown[0];
  useEffect(() => {
    if (!selected && !current) setFirst(top && toQuestionKey(top));
  }, [selected, current, top]);

  const query = search.size > 0 ? `?${search}` : '';
  const goTo = useCallback(
    (question: Question | undefined, replace = true) =>
      go(question ? `/questions/${toQuestionKey(question)}${query}` : `/${query}`, { replace }),
    [go, query],
  );
  const move = (by: number) => {
    const place = shown.findIndex((question) => toQuestionKey(question) === at);
    const next = shown[place + by] ?? (place < 0 ? top : undefined);
    if (next) goTo(next);
  };
  const settled = (question: Question) => {
    showToast(OUTCOME_TOAST[question.status] ?? 'Answer sent.');
    const next = findNeighbourQuestion(shown, toQuestionKey(question));
    goTo(isWide ? next : undefined);
    if (!next) setFirst(undefined);
    // To what is shown next: the button that had the focus is gone.
    (isWide ? detail : title).current?.focus();
  };

  useAnswerShortcuts(detail);
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    o: () => at && go(`/conversations/${at.split('/')[0]}`),
  });

  if (error && !questions) return <InboxLoadError message={error.message} />;
  const isEmpty = waiting?.length === 0 && !at;
  return (
    <div className={css.inbox} data-open={selected ? true : undefined}>
      <section className={css.side} aria-labelledby="inbox-title">
        <header className={css.head}>
          <h1 id="inbox-title" ref={title} tabIndex={-1}>
            Inbox
          </h1>
          <InboxFilterBar questions={questions ?? []} filter={filter} />
        </header>
        {isTruncated && <p className={css.note}>More wait than are shown here: the most urgent come first.</p>}
        {hasNoWorker && (
          <p className={css.note} role="status">
            {NO_WORKER_MESSAGE}
          </p>
        )}
        {unreadable > 0 && <p className={css.note}>{describeUnreadable(unreadable)}</p>}
        <div ref={list} className={css.list}>
          {waiting?.length === 0 && !isWide && <InboxEmptyState filter={filter} />}
          <InboxList questions={shown} isLoading={!questions} at={at} query={query} />
        </div>
      </section>
      <InboxLiveRegion shown={shown} at={at} />
      <section ref={detail} className={css.detail} aria-label="Question" tabIndex={-1}>
        {at && <QuestionDetail key={at} at={at} question={current} query={query} onSettled={settled} />}
        {isEmpty && isWide && <InboxEmptyState filter={filter} />}
      </section>
    </div>
  );
}

const OUTCOME_TOAST: Partial<Record<Question['status'], string>> = {
  declined: 'Declined.',
  pending: 'Your answer is safe, and acted on as soon as a worker is running.',
};

function InboxEmptyState({ filter }: { filter: InboxPageFilter }) {
  return isInboxFiltered(filter) ? <NoMatchingQuestions /> : <NoOpenQuestions />;
}

function InboxLoadError({ message }: { message: string }) {
  return (
    <div className={css.refused}>
      <h1 className="unseen">Inbox</h1>
      <ErrorPanel title="The inbox cannot be shown">{message}</ErrorPanel>
    </div>
  );
}

function NoOpenQuestions() {
  const mayStart = useHasScope('conversations:write');
  return (
    <EmptyState art={<Coffee size={34} />} title="Nobody is waiting for you">
      <p>When an agent needs an answer, its question shows up here by itself.</p>
      {mayStart && (
        <Link href="/new" className={buttonClassName()}>
          Start a conversation
        </Link>
      )}
    </EmptyState>
  );
}

function NoMatchingQuestions() {
  const [, go] = useLocation();
  return (
    <EmptyState art={<SearchX size={34} />} title="No question fits the filter">
      <Button onClick={() => go('/')}>Show all</Button>
    </EmptyState>
  );
}

/** For ears: how many wait, and at which one is. */
function InboxLiveRegion({ shown, at }: { shown: readonly Question[]; at: QuestionKey | undefined }) {
  const place = shown.findIndex((question) => toQuestionKey(question) === at);
  const question = shown[place];
  const count = shown.length === 1 ? '1 question waits' : `${shown.length.toLocaleString('en')} questions wait`;
  return (
    <div className="unseen" role="status">
      {shown.length > 0 && count}
      {question && `. Question ${place + 1}, from ${formatOrigin(question.origin)}: ${questionSummaryLine(question)}`}
    </div>
  );
}
