import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button';
import css from './trouble.module.css';

interface Props {
  title: string;
  children?: ReactNode;
  onRetry?: () => void;
}

/** What went wrong and what to do, where something was to be shown. */
export function Trouble({ title, children, onRetry }: Props) {
  return (
    <div className={css.trouble} role="alert">
      <CircleAlert className={css.icon} size={22} aria-hidden="true" />
      <div>
        <p className={css.title}>{title}</p>
        {children && <div className={css.text}>{children}</div>}
        {onRetry && (
          <Button onClick={onRetry} className={css.retry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}
