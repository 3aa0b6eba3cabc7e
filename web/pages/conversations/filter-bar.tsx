import { Search } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { ConversationStatus } from '#contract/conversation';
import type { StatusCounts } from '#contract/responses';
import { STATUS_LABELS } from '#presentation/labels';
import { useAgents } from '../../api/queries';
import { joinClassNames } from '../../lib/class-names';
import { useShortcuts } from '../../lib/shortcuts';
import input from '../../ui/styles/input.module.css';
import { type ConversationFilters, formatConversationsPath, MAX_SEARCH_LENGTH } from './conversation-search';
import css from './filter-bar.module.css';

interface ConversationFilterBarProps {
  filters: ConversationFilters;
  counts: StatusCounts | undefined;
  onChange: (next: Partial<ConversationFilters>, options?: { replace?: boolean }) => void;
}

export function ConversationFilterBar({ filters, counts, onChange }: ConversationFilterBarProps) {
  return (
    <search className={css.bar} aria-label="Conversations">
      <StatusTabs filters={filters} counts={counts} />
      <div className={css.controls}>
        <SearchBox
          value={filters.search}
          longest={MAX_SEARCH_LENGTH}
          // A word is typed letter by letter: going back should not unwrite it so.
          onSearch={(search) => onChange({ search }, { replace: true })}
        />
        <AgentSelect value={filters.agent} onPick={(agent) => onChange({ agent })} />
      </div>
    </search>
  );
}

interface AgentSelectProps {
  value: string | undefined;
  onPick: (agent: string | undefined) => void;
}

function AgentSelect({ value, onPick }: AgentSelectProps) {
  const id = useId();
  const { data: agents = [] } = useAgents();
  const names = agents.map(({ name }) => name);
  // An address may name one that is gone, whose conversations are still there.
  const shown = value === undefined || names.includes(value) ? names : [...names, value];
  return (
    <div className={css.agent}>
      <label className="unseen" htmlFor={id}>
        Agent
      </label>
      <select
        id={id}
        className={joinClassNames(input.input, css.menu)}
        value={value ?? ''}
        onChange={({ target }) => onPick(target.value || undefined)}
      >
        <option value="">All agents</option>
        {shown.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

const TABS: [ConversationStatus | undefined, string][] = [
  [undefined, 'All'],
  ...(Object.entries(STATUS_LABELS) as [ConversationStatus, string][]),
];

/** Links, so that each can be opened in a tab of its own. */
function StatusTabs({ filters, counts }: { filters: ConversationFilters; counts: StatusCounts | undefined }) {
  const tabs = useRef<HTMLUListElement>(null);
  const { status: shown } = filters;
  const isCounted = counts !== undefined;
  // On a phone they lie side by side, and the one that an address names may be out of sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with their counts they are wider
  useEffect(() => {
    if (shown) tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [shown, isCounted]);
  return (
    <nav aria-label="Status">
      <ul ref={tabs} className={css.tabs}>
        {TABS.map(([status, word]) => (
          <li key={word}>
            <Link
              href={formatConversationsPath({ ...filters, status })}
              className={joinClassNames(css.tab, shown === status && css.here)}
              aria-current={shown === status ? 'true' : undefined}
            >
              {word}
              {counts && <span className={css.count}>{countWithStatus(counts, status).toLocaleString('en')}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function countWithStatus(counts: StatusCounts, status: ConversationStatus | undefined): number {
  return status ? counts[status] : Object.values(counts).reduce((sum, count) => sum + count, 0);
}

interface SearchBoxProps {
  value: string;
  longest: number;
  onSearch: (text: string) => void;
}

const DEBOUNCE_MS = 250;

/** Searches when one pauses in typing, or at once on Enter. */
function SearchBox({ value, longest, onSearch }: SearchBoxProps) {
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useSearchText(value, onSearch);
  useShortcuts({
    '/': (event) => {
      event.preventDefault();
      box.current?.focus();
    },
  });
  return (
    <form
      className={css.search}
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.trim());
      }}
    >
      <label className="unseen" htmlFor={id}>
        Search conversations
      </label>
      <Search className={css.glass} size={18} aria-hidden="true" />
      <input
        ref={box}
        id={id}
        type="search"
        className={joinClassNames(input.input, css.box)}
        placeholder="Search"
        value={text}
        maxLength={longest}
        dir="auto"
        autoComplete="off"
        onChange={({ target }) => setText(target.value)}
      />
    </form>
  );
}

/** What is typed, which is ahead of what is searched for; the back button moves both. */
function useSearchText(value: string, onSearch: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const [sent, setSent] = useState(value);
  const send = useRef(onSearch);
  send.current = onSearch;
  if (value !== sent && value !== text.trim()) setText(value);
  if (value !== sent) setSent(value);

  useEffect(() => {
    const asked = text.trim();
    if (asked === sent) return;
    const timer = setTimeout(() => {
      setSent(asked);
      send.current(asked);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, sent]);
  return [text, setText];
}
