import { Search } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { useSearchParams } from 'wouter';
import type { Question } from '../../src/contract/question';
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
        <label>
          <span className="unseen">Agent</span>
          <select
            className={input.input}
            value={filter.agent}
            onChange={({ target }) => set('agent', target.value)}
          >
            <option value="">All agents</option>
            {[...new Set([...agents, filter.agent].filter(Boolean))].map((agent) => (
              <option key={agent} value={agent}>
                {agent}
              </option>
            ))}
          </select>
        </label>
      )}
      {(questions.some(({ confirms }) => confirms) || filter.kind) && (
        <label>
          <span className="unseen">Kind</span>
          <select
            className={input.input}
            value={filter.kind}
            onChange={({ target }) => set('kind', target.value)}
          >
            <option value="">All kinds</option>
            <option value="confirmations">To confirm</option>
            <option value="questions">To answer</option>
          </select>
        </label>
      )}
    </search>
  );
}
