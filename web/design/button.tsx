import type { ComponentProps } from 'react';
import css from './button.module.css';
import { classes } from './classes';

export type Look = 'primary' | 'plain' | 'quiet' | 'danger';

interface Props extends ComponentProps<'button'> {
  look?: Look;
  isBusy?: boolean;
}

/** While it is busy a second press does nothing, and focus stays where it is. */
export function Button({ look = 'plain', isBusy = false, className, onClick, children, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      className={classes(css.button, css[look], className)}
      aria-disabled={isBusy || rest.disabled || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {isBusy && <span className={css.spinner} aria-hidden="true" />}
      {children}
    </button>
  );
}

export function buttonClass(look: Look = 'plain'): string {
  return classes(css.button, css[look]);
}
