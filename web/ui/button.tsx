import type { ComponentProps } from 'react';
import { joinClassNames } from '../lib/class-names';
import css from './button.module.css';

export type ButtonVariant = 'primary' | 'plain' | 'quiet' | 'danger';

interface Props extends ComponentProps<'button'> {
  variant?: ButtonVariant;
  isBusy?: boolean;
}

/** A button that ignores presses while busy and keeps its focus. */
export function Button({ variant = 'plain', isBusy = false, className, onClick, children, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      className={joinClassNames(css.button, css[variant], className)}
      aria-disabled={isBusy || rest.disabled || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {isBusy && <span className={css.spinner} aria-hidden="true" />}
      {children}
    </button>
  );
}

export function buttonClassName(variant: ButtonVariant = 'plain'): string {
  return joinClassNames(css.button, css[variant]);
}
