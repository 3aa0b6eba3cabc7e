import { useRef } from 'react';
import type { Filling } from '#core/filling';
import { classes } from '../design/classes';
import css from './choices.module.css';
import { KeyHint } from './key-hint';
import { OtherText } from './other-text';

interface Props {
  type: 'radio' | 'checkbox';
  name: string;
  number: number;
  filling: Filling;
  onPick: () => void;
  onWrite: (text: string) => void;
}

/** An answer of one's own beside the options. To write it is to choose it. */
export function Other({ type, name, number, filling, onPick, onWrite }: Props) {
  const text = useRef<HTMLInputElement>(null);
  return (
    <div className={classes(css.choice, css.other)}>
      <label className={css.pick}>
        <input
          type={type}
          name={name}
          checked={filling.isOther}
          data-number={number}
          onChange={() => {
            onPick();
            if (!filling.isOther) text.current?.focus();
          }}
        />
        <span className={css.name}>Other</span>
      </label>
      <OtherText ref={text} value={filling.other} onWrite={onWrite} />
      <KeyHint number={number} />
    </div>
  );
}
