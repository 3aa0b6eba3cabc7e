import type { ReactNode } from 'react';
import { classes } from './classes';
import css from './pill.module.css';

export type Tone = 'plain' | 'accent' | 'warn' | 'good' | 'busy' | 'danger';

/** A word or two that set something apart. Never by colour alone: the word says it. */
export function Pill({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={classes(css.pill, css[tone])}>{children}</span>;
}
