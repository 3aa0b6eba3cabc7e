import css from './choices.module.css';

const KEYS = 9;

/** The key that chooses it. */
export function KeyHint({ number }: { number: number }) {
  if (number > KEYS) return null;
  return (
    <span className={css.number} aria-hidden="true">
      {number}
    </span>
  );
}
