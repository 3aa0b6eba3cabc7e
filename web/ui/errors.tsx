import { CircleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { Button } from './button';
import css from './errors.module.css';

interface ErrorPanelProps {
  title: string;
  children?: ReactNode;
  onRetry?: () => void;
}

/** What went wrong and what to do, where something was to be shown. */
export function ErrorPanel({ title, children, onRetry }: ErrorPanelProps) {
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

interface ErrorBoundaryProps {
  children: ReactNode;
  /** What is shown where the rest could not be. */
  fallback: ReactNode;
  /** With another it is tried again. */
  of?: string;
}

/** Keeps what goes wrong in one place from taking the rest of the page with it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidUpdate({ of }: ErrorBoundaryProps): void {
    if (of !== this.props.of && this.state.hasFailed) this.setState({ hasFailed: false });
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
