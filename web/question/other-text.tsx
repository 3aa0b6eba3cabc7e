import type { Ref } from 'react';
import css from './input.module.css';

interface Props {
  value: string;
  onWrite: (text: string) => void;
  ref?: Ref<HTMLInputElement>;
}

/** An answer of one's own. */
export function OtherText({ value, onWrite, ref }: Props) {
  return (
    <input
      ref={ref}
      type="text"
      className={css.input}
      aria-label="Other: your own answer"
      placeholder="Your own answer"
      value={value}
      maxLength={4_000}
      dir="auto"
      onChange={({ target }) => onWrite(target.value)}
    />
  );
}
