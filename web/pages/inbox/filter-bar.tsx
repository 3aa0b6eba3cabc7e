import { Search } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { useSearchParams } from 'wouter';
import type { Question } from '#contract/question';
import { useShortcuts } from '../../lib/shortcuts';
import input from '../../ui/styles/input.module.css';
import css from './filter-bar.module.css';
import type { InboxPageFilter } from './inbox-filter';

/** Kept in the address, so that a reload or a link shows the same. */
export function InboxFilterBar({ questions, filter }: { questions: Question[]; filter: InboxPageFilter }) {
  const [, setParams] = useSearchParams();
  const box = useRef<HTMLInputElement>(null);
  useShortcuts({
    '/': (event) => {
      event.preventDefault();
      box.current?.focus();
    },
  });
  const set = (name: keyof InboxPageFilter, value: string) =>
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
        <span className="unseen">Filter questions</span>
        <Search size={16} aria-hidden="true" />
        <input
          ref={box}
          type="search"
          className={input.input}
          placeholder="Filter"
          value={filter.search}
          onChange={({ target }) => set('search', target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            // The browser would empty it: one leaves the box to go through what was found.
            event.preventDefault();
            box.current?.blur();
          }}
        />
      </label>
      {(agents.length > 1 || filter.agent) && (
        <FilterSelect
          name="Agent"
          value={filter.agent}
          options={[['', 'All agents'], ...toAgentOptions(agents, filter.agent)]}
          onChange={(agent) => set('agent', agent)}
        />
      )}
      {(questions.some(({ confirms }) => confirms) || filter.kind) && (
        <FilterSelect name="Kind" value={filter.kind} options={KINDS} onChange={(kind) => set('kind', kind)} />
      )}
    </search>
  );
}

type FilterOption = [value: string, words: string];

const KINDS: FilterOption[] = [
  ['', 'All kinds'],
  ['confirmations', 'To confirm'],
  ['questions', 'To answer'],
];

/** The one that is chosen is there, also when nothing of it waits any more. */
function toAgentOptions(agents: string[], chosen: string): FilterOption[] {
  return [...new Set([...agents, chosen].filter(Boolean))].map((agent) => [agent, agent]);
}

interface FilterSelectProps {
  name: string;
  value: string;
  options: FilterOption[];
  onChange: (value: string) => void;
}

function FilterSelect({ name, value, options, onChange }: FilterSelectProps) {
  return (
    <label>
      <span className="unseen">{name}</span>
      <select className={input.input} value={value} onChange={({ target }) => onChange(target.value)}>
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
