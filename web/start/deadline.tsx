import { useId, useState } from 'react';
import type { AgentView } from '#contract/agent';
import type { OnTimeout } from '#contract/question';
import { classes } from '../design/classes';
import input from '../question/input.module.css';
import css from './start-form.module.css';

const CHOICES: [string, string][] = [
  ['15m', '15 minutes'],
  ['4h', '4 hours'],
  ['1d', '1 day'],
  ['3d', '3 days'],
  ['never', 'As long as it takes'],
];

const THEN: Record<OnTimeout, string> = {
  continue: 'If nobody has answered by then, the agent hears so and goes on.',
  default: 'If nobody has answered by then, its default is taken, where it has one.',
  fail: 'If nobody has answered by then, the conversation fails.',
  wait: 'If nobody has answered by then, the question stays open all the same.',
};

interface Props {
  value: string;
  /** What the agent says itself. */
  usual: AgentView['questions'] | undefined;
  onChange: (timeout: string) => void;
}

/** Folded away: mostly the agent knows best. */
export function Deadline({ value, usual, onChange }: Props) {
  const id = useId();
  const [wasChosen] = useState(value !== '');
  return (
    <details className={css.options} open={wasChosen}>
      <summary>More options</summary>
      <div className={css.option}>
        <label className={css.label} htmlFor={id}>
          How long its questions wait
        </label>
        <select
          id={id}
          className={classes(input.input, input.narrow)}
          value={value}
          aria-describedby={`${id}-then`}
          onChange={({ target }) => onChange(target.value)}
        >
          <option value="">As the agent says{usual && ` (${usual.timeout})`}</option>
          {CHOICES.map(([timeout, words]) => (
            <option key={timeout} value={timeout}>
              {words}
            </option>
          ))}
        </select>
        <p id={`${id}-then`} className={css.hint}>
          {THEN[usual?.onTimeout ?? 'continue']}
        </p>
      </div>
    </details>
  );
}
