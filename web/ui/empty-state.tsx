import type { ReactNode } from 'react';
import css from './empty-state.module.css';

/** Placeholder for an empty list, with a suggestion of what to do. */
export function EmptyState({ icon, title, children }: { icon: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className={css.empty}>
      <div className={css.icon} aria-hidden="true">
        {icon}
      </div>
      <h2>{title}</h2>
      {children && <div className={css.text}>{children}</div>}
    </div>
  );
}
