import type { ReactNode } from 'react';
import css from './empty-state.module.css';

/** Nothing here, said pleasantly, with what one might do instead. */
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
