import { Search } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { useSearchParams } from 'wouter';
import type { Question } from '#contract/question';
import { useShortcuts } from '../../lib/shortcuts';
import input from '../../ui/styles/input.module.css';
import css from './filter-bar.module.css';
import type { InboxPageFilter } from './inbox-filter';

/** Filters the inbox. The filter is in the URL, so that a reload or a link shows the same questions. */
export function InboxFilterBar({ questions, filter }: { questions: Question[]; filter: InboxPageFilter }) {
  const [, setParams] = useSearchParams();
  const inputRef = useRef<HTMLInputElement>(null);
  useShortcuts({
    '/': (event) => {
      event.preventDefault();
      inputRef.current?.focus();
    },
  });
  const setFilter = (name: keyof InboxPageFilter, value: string) =>
    setParams(
      (params) => {
        if (value) params.set(name, value);
        else params.delete(name);
        return params;
      },
      { replace: true },
    );
  const agents = useMemo(() => [...new Set(questions.flatMap(({ origin }) => origin))].sort(), [questions]);
  return (
    <search className={css.filters}>
      <label className={css.search}>
        <span className="visually-hidden">Filter questions</span>
        <Search size={16} aria-hidden="true" />
        <input
          ref={inputRef}
          type="search"
          className={input.input}
          placeholder="Filter"
          value={filter.search}
          onChange={({ target }) => setFilter('search', target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            // The browser would clear the field. Leave it instead, so that shortcuts work on the results.
            event.preventDefault();
            inputRef.current?.blur();
          }}
        />
      </label>
      {(agents.length > 1 || filter.agent) && (
        <FilterSelect
          label="Agent"
          value={filter.agent}
          options={[['', 'All agents'], ...toAgentOptions(agents, filter.agent)]}
          onChange={(agent) => setFilter('agent', agent)}
        />
      )}
      {(questions.some(({ confirms }) => confirms) || filter.kind) && (
        <FilterSelect
          label="Type"
          value={filter.kind}
          options={KIND_OPTIONS}
          onChange={(kind) => setFilter('kind', kind)}
        />
      )}
    </search>
  );
}

type FilterOption = [value: string, label: string];

const KIND_OPTIONS: FilterOption[] = [
  ['', 'All types'],
  ['confirmations', 'Approvals'],
  ['questions', 'Questions'],
];

/** Includes the selected agent even if none of its questions is pending. */
function toAgentOptions(agents: string[], selected: string): FilterOption[] {
  return [...new Set([...agents, selected].filter(Boolean))].map((agent) => [agent, agent]);
}

interface FilterSelectProps {
  label: string;
  value: string;
  options: FilterOption[];
  onChange: (value: string) => void;
}

function FilterSelect({ label, value, options, onChange }: FilterSelectProps) {
  return (
    <label>
      <span className="visually-hidden">{label}</span>
      <select className={input.input} value={value} onChange={({ target }) => onChange(target.value)}>
        {options.map(([option, optionLabel]) => (
          <option key={option} value={option}>
            {optionLabel}
          </option>
        ))}
      </select>
    </label>
  );
}
