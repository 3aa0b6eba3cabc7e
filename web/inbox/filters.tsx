import { Search } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { useSearchParams } from 'wouter';
import type { Question } from '#contract/question';
import input from '../question/input.module.css';
import { useShortcuts } from '../shell/shortcuts';
import css from './filters.module.css';
import type { Filter } from './shown';

/** Kept in the address, so that a reload or a link shows the same. */
export function Filters({ questions, filter }: { questions: Question[]; filter: Filter }) {
  const [, setParams] = useSearchParams();
  const box = useRef<HTMLInputElement>(null);
  useShortcuts({
    '/': (event) => {
      event.preventDefault();
      box.current?.focus();
    },
  });
  const set = (name: keyof Filter, value: string) =>
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
        <Select
          name="Agent"
          value={filter.agent}
          options={[['', 'All agents'], ...named(agents, filter.agent)]}
          onChange={(agent) => set('agent', agent)}
        />
      )}
      {(questions.some(({ confirms }) => confirms) || filter.kind) && (
        <Select name="Kind" value={filter.kind} options={KINDS} onChange={(kind) => set('kind', kind)} />
      )}
    </search>
  );
}

type Choice = [value: string, words: string];

const KINDS: Choice[] = [
  ['', 'All kinds'],
  ['confirmations', 'To confirm'],
  ['questions', 'To answer'],
];

/** The one that is chosen is there, also when nothing of it waits any more. */
function named(agents: string[], chosen: string): Choice[] {
  return [...new Set([...agents, chosen].filter(Boolean))].map((agent) => [agent, agent]);
}

interface SelectProps {
  name: string;
  value: string;
  options: Choice[];
  onChange: (value: string) => void;
}

function Select({ name, value, options, onChange }: SelectProps) {
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
