import { useId } from 'react';
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

interface Props {
  value: string;
  /** What the agent says itself. */
  usual: string | undefined;
  onChange: (timeout: string) => void;
}

/** Folded away: mostly the agent knows best. */
export function Deadline({ value, usual, onChange }: Props) {
  const id = useId();
  return (
    <details className={css.options} open={value !== '' || undefined}>
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
          <option value="">As the agent says{usual && ` (${usual})`}</option>
          {CHOICES.map(([timeout, words]) => (
            <option key={timeout} value={timeout}>
              {words}
            </option>
          ))}
        </select>
        <p id={`${id}-then`} className={css.hint}>
          If nobody has answered by then, the agent hears so and goes on.
        </p>
      </div>
    </details>
  );
}
