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
  onChange: (changes: Partial<ConversationFilters>, options?: { replace?: boolean }) => void;
}

export function ConversationFilterBar({ filters, counts, onChange }: ConversationFilterBarProps) {
  return (
    <search className={css.bar} aria-label="Conversations">
      <StatusTabs filters={filters} counts={counts} />
      <div className={css.controls}>
        <SearchBox
          value={filters.search}
          maxLength={MAX_SEARCH_LENGTH}
          // Replaces the history entry, so that the back button does not step through single letters.
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
  // The URL may name an agent that no longer exists but still has conversations.
  const options = value === undefined || names.includes(value) ? names : [...names, value];
  return (
    <div className={css.agent}>
      <label className="visually-hidden" htmlFor={id}>
        Agent
      </label>
      <select
        id={id}
        className={joinClassNames(input.input, css.select)}
        value={value ?? ''}
        onChange={({ target }) => onPick(target.value || undefined)}
      >
        <option value="">All agents</option>
        {options.map((name) => (
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

/** Status filters as links, so that each can be opened in its own tab. */
function StatusTabs({ filters, counts }: { filters: ConversationFilters; counts: StatusCounts | undefined }) {
  const tabs = useRef<HTMLUListElement>(null);
  const { status: selected } = filters;
  const hasCounts = counts !== undefined;
  // On a phone the tabs scroll sideways, and the selected one may be out of view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the counts make the tabs wider
  useEffect(() => {
    if (selected) tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [selected, hasCounts]);
  return (
    <nav aria-label="Status">
      <ul ref={tabs} className={css.tabs}>
        {TABS.map(([status, label]) => (
          <li key={label}>
            <Link
              href={formatConversationsPath({ ...filters, status })}
              className={joinClassNames(css.tab, selected === status && css.current)}
              aria-current={selected === status ? 'true' : undefined}
            >
              {label}
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
  maxLength: number;
  onSearch: (text: string) => void;
}

const DEBOUNCE_MS = 250;

/** Searches after a pause in typing, or at once on Enter. */
function SearchBox({ value, maxLength, onSearch }: SearchBoxProps) {
  const id = useId();
  const inputRef = useRef<HTMLInputElement>(null);
  const [text, setText] = useSearchText(value, onSearch);
  useShortcuts({
    '/': (event) => {
      event.preventDefault();
      inputRef.current?.focus();
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
      <label className="visually-hidden" htmlFor={id}>
        Search conversations
      </label>
      <Search className={css.searchIcon} size={18} aria-hidden="true" />
      <input
        ref={inputRef}
        id={id}
        type="search"
        className={joinClassNames(input.input, css.searchInput)}
        placeholder="Search"
        value={text}
        maxLength={maxLength}
        dir="auto"
        autoComplete="off"
        onChange={({ target }) => setText(target.value)}
      />
    </form>
  );
}

/** The typed text, which runs ahead of the submitted search. The back button changes both. */
function useSearchText(value: string, onSearch: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const [submitted, setSubmitted] = useState(value);
  const latestOnSearch = useRef(onSearch);
  latestOnSearch.current = onSearch;
  if (value !== submitted && value !== text.trim()) setText(value);
  if (value !== submitted) setSubmitted(value);

  useEffect(() => {
    const query = text.trim();
    if (query === submitted) return;
    const timer = setTimeout(() => {
      setSubmitted(query);
      latestOnSearch.current(query);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, submitted]);
  return [text, setText];
}
