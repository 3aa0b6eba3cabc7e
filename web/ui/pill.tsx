import type { ReactNode } from 'react';
import { joinClassNames } from '../lib/class-names';
import css from './pill.module.css';

export type PillTone = 'plain' | 'accent' | 'warn' | 'good' | 'busy' | 'danger';

/** A word or two that set something apart. Never by colour alone: the word says it. */
export function Pill({ tone = 'plain', children }: { tone?: PillTone; children: ReactNode }) {
  return <span className={joinClassNames(css.pill, css[tone])}>{children}</span>;
}
