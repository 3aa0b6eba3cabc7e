import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { ConversationStatus } from '#contract/conversation';
import type { Counts } from '#contract/operations/replies';
import { STATUS_WORDS } from '#core/words';
import { classes } from '../design/classes';
import css from './filter-bar.module.css';
import { addressOf, type Filters } from './filters';

const TABS: [ConversationStatus | undefined, string][] = [
  [undefined, 'All'],
  ...(Object.entries(STATUS_WORDS) as [ConversationStatus, string][]),
];

/** Links, so that each can be opened in a tab of its own. */
export function StatusTabs({ filters, counts }: { filters: Filters; counts: Counts | undefined }) {
  const tabs = useRef<HTMLUListElement>(null);
  const { status: shown } = filters;
  const isCounted = counts !== undefined;
  // On a phone they lie side by side, and the one that an address names may be out of sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with their counts they are wider
  useEffect(() => {
    if (shown) tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [shown, isCounted]);
  return (
    <nav aria-label="Status">
      <ul ref={tabs} className={css.tabs}>
        {TABS.map(([status, word]) => (
          <li key={word}>
            <Link
              href={addressOf({ ...filters, status })}
              className={classes(css.tab, shown === status && css.here)}
              aria-current={shown === status ? 'true' : undefined}
            >
              {word}
              {counts && <span className={css.count}>{countOf(counts, status).toLocaleString('en')}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function countOf(counts: Counts, status: ConversationStatus | undefined): number {
  return status ? counts[status] : Object.values(counts).reduce((sum, count) => sum + count, 0);
}
