import type { ReactNode } from 'react';
import { joinClassNames } from '../lib/class-names';
import css from './pill.module.css';

export type PillTone = 'plain' | 'accent' | 'warn' | 'good' | 'busy' | 'danger';

/** A short label with a color. The text alone carries the meaning. */
export function Pill({ tone = 'plain', children }: { tone?: PillTone; children: ReactNode }) {
  return <span className={joinClassNames(css.pill, css[tone])}>{children}</span>;
}
