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

/** The list of pending questions beside the selected one. A phone shows only one of the two. */
export function InboxPage({ selected }: { selected?: QuestionKey }) {
  useDocumentTitle('Inbox');
  const [, navigate] = useLocation();
  const [searchParams] = useSearchParams();
  const isWide = useIsWideScreen();
  const { questions, isTruncated, unreadable, error } = useInbox();
  const hasNoWorker = useHasNoWorker();
  const filter = useMemo(() => parseInboxPageFilter(searchParams), [searchParams]);
  const matching = useMemo(() => questions && filterInboxQuestions(questions, filter), [questions, filter]);

  // Without a question in the URL, the most urgent one is selected. It stays selected when a more urgent one arrives.
  const [defaultKey, setDefaultKey] = useState<QuestionKey>();
  const selectedKey = selected ?? (isWide ? defaultKey : undefined);
  const listRef = useRef<HTMLDivElement>(null);
  const detailRef = useRef<HTMLElement>(null);
  const titleRef = useRef<HTMLHeadingElement>(null);
  const visible = useVisibleQuestions(matching, filter, selectedKey, listRef);
  const current = visible.find((question) => toQuestionKey(question) === selectedKey);
  const mostUrgent = visible[0];
  useEffect(() => {
    if (!selected && !current) setDefaultKey(mostUrgent && toQuestionKey(mostUrgent));
  }, [selected, current, mostUrgent]);

  const searchString = searchParams.size > 0 ? `?${searchParams}` : '';
  const openQuestion = useCallback(
    (question: Question | undefined, replace = true) =>
      navigate(question ? `/questions/${toQuestionKey(question)}${searchString}` : `/${searchString}`, { replace }),
    [navigate, searchString],
  );
  const moveSelection = (offset: number) => {
    const index = visible.findIndex((question) => toQuestionKey(question) === selectedKey);
    const nextQuestion = visible[index + offset] ?? (index < 0 ? mostUrgent : undefined);
    if (nextQuestion) openQuestion(nextQuestion);
  };
  const onSubmitted = (question: Question) => {
    showToast(OUTCOME_TOAST[question.status] ?? 'Answer sent');
    const nextQuestion = findNeighbourQuestion(visible, toQuestionKey(question));
    openQuestion(isWide ? nextQuestion : undefined);
    if (!nextQuestion) setDefaultKey(undefined);
    // Focus the next content, because the focused button is gone.
    (isWide ? detailRef : titleRef).current?.focus();
  };

  useAnswerShortcuts(detailRef);
  useShortcuts({
    j: () => moveSelection(1),
    k: () => moveSelection(-1),
    o: () => selectedKey && navigate(`/conversations/${selectedKey.split('/')[0]}`),
  });

  if (error && !questions) return <InboxLoadError message={error.message} />;
  const isEmpty = matching?.length === 0 && !selectedKey;
  return (
    <div className={css.inbox} data-open={selected ? true : undefined}>
      <section className={css.listPane} aria-labelledby="inbox-title">
        <header className={css.head}>
          <h1 id="inbox-title" ref={titleRef} tabIndex={-1}>
            Inbox
          </h1>
          <InboxFilterBar questions={questions ?? []} filter={filter} />
        </header>
        {isTruncated && <p className={css.note}>Showing the most urgent questions only.</p>}
        {hasNoWorker && (
          <p className={css.note} role="status">
            {NO_WORKER_MESSAGE}
          </p>
        )}
        {unreadable > 0 && <p className={css.note}>{describeUnreadable(unreadable)}</p>}
        <div ref={listRef} className={css.list}>
          {matching?.length === 0 && !isWide && <InboxEmptyState filter={filter} />}
          <InboxList questions={visible} isLoading={!questions} selectedKey={selectedKey} searchString={searchString} />
        </div>
      </section>
      <InboxLiveRegion visible={visible} selectedKey={selectedKey} />
      <section ref={detailRef} className={css.detail} aria-label="Question" tabIndex={-1}>
        {selectedKey && (
          <QuestionDetail
            key={selectedKey}
            questionKey={selectedKey}
            question={current}
            searchString={searchString}
            onSubmitted={onSubmitted}
          />
        )}
        {isEmpty && isWide && <InboxEmptyState filter={filter} />}
      </section>
    </div>
  );
}

const OUTCOME_TOAST: Partial<Record<Question['status'], string>> = {
  declined: 'Question skipped',
  pending: 'Answer saved. The agent will continue when a worker is running.',
};

function InboxEmptyState({ filter }: { filter: InboxPageFilter }) {
  return isInboxFiltered(filter) ? <NoMatchingQuestions /> : <NoOpenQuestions />;
}

function InboxLoadError({ message }: { message: string }) {
  return (
    <div className={css.errorPage}>
      <h1 className="visually-hidden">Inbox</h1>
      <ErrorPanel title="Couldn't load inbox">{message}</ErrorPanel>
    </div>
  );
}

function NoOpenQuestions() {
  const canStart = useHasScope('conversations:write');
  return (
    <EmptyState icon={<Coffee size={34} />} title="You're all caught up">
      <p>Questions from your agents appear here.</p>
      {canStart && (
        <Link href="/new" className={buttonClassName()}>
          Start a conversation
        </Link>
      )}
    </EmptyState>
  );
}

function NoMatchingQuestions() {
  const [, navigate] = useLocation();
  return (
    <EmptyState icon={<SearchX size={34} />} title="No matching questions">
      <Button onClick={() => navigate('/')}>Clear filter</Button>
    </EmptyState>
  );
}

/** Tells screen readers how many questions are pending and which one is selected. */
function InboxLiveRegion({
  visible,
  selectedKey,
}: {
  visible: readonly Question[];
  selectedKey: QuestionKey | undefined;
}) {
  const index = visible.findIndex((question) => toQuestionKey(question) === selectedKey);
  const question = visible[index];
  const count = visible.length === 1 ? '1 open question' : `${visible.length.toLocaleString('en')} open questions`;
  return (
    <div className="visually-hidden" role="status">
      {visible.length > 0 && count}
      {question && `. Question ${index + 1}, from ${formatOrigin(question.origin)}: ${questionSummaryLine(question)}`}
    </div>
  );
}
