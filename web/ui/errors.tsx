import { CircleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { Button } from './button';
import css from './errors.module.css';

interface ErrorPanelProps {
  title: string;
  children?: ReactNode;
  onRetry?: () => void;
}

/** Shown in place of content that failed, with the error and what to do. */
export function ErrorPanel({ title, children, onRetry }: ErrorPanelProps) {
  return (
    <div className={css.panel} role="alert">
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
  /** Shown instead of children that failed to render. */
  fallback: ReactNode;
  /** Renders the children again when this changes. */
  resetKey?: string;
}

/** Contains a render error, so that the rest of the page keeps working. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidUpdate({ resetKey }: ErrorBoundaryProps): void {
    if (resetKey !== this.props.resetKey && this.state.hasFailed) this.setState({ hasFailed: false });
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
