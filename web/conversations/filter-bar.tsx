import { useId } from 'react';
import type { Counts } from '#contract/operations/replies';
import { classes } from '../design/classes';
import { useAgents } from '../live/use-agents';
import input from '../question/input.module.css';
import css from './filter-bar.module.css';
import { type Filters, LONGEST_SEARCH } from './filters';
import { SearchBox } from './search-box';
import { StatusTabs } from './status-tabs';

interface Props {
  filters: Filters;
  counts: Counts | undefined;
  onChange: (next: Partial<Filters>, options?: { replace?: boolean }) => void;
}

export function FilterBar({ filters, counts, onChange }: Props) {
  return (
    <search className={css.bar} aria-label="Conversations">
      <StatusTabs filters={filters} counts={counts} />
      <div className={css.controls}>
        <SearchBox
          value={filters.search}
          longest={LONGEST_SEARCH}
          // A word is typed letter by letter: going back should not unwrite it so.
          onSearch={(search) => onChange({ search }, { replace: true })}
        />
        <AgentMenu value={filters.agent} onPick={(agent) => onChange({ agent })} />
      </div>
    </search>
  );
}

interface MenuProps {
  value: string | undefined;
  onPick: (agent: string | undefined) => void;
}

function AgentMenu({ value, onPick }: MenuProps) {
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
        className={classes(input.input, css.menu)}
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
