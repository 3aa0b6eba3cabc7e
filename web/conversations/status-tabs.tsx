import { Link } from 'wouter';
import type { ConversationStatus } from '../../src/contract/conversation';
import type { Counts } from '../../src/contract/operations/replies';
import { STATUS_WORDS } from '../conversation/status-words';
import { classes } from '../design/classes';
import css from './filter-bar.module.css';
import { addressOf, type Filters } from './filters';

const TABS: [ConversationStatus | undefined, string][] = [
  [undefined, 'All'],
  ...(Object.entries(STATUS_WORDS) as [ConversationStatus, string][]),
];

/** Links, so that each can be opened in a tab of its own. */
export function StatusTabs({ filters, counts }: { filters: Filters; counts: Counts | undefined }) {
  return (
    <nav aria-label="Status">
      <ul className={css.tabs}>
        {TABS.map(([status, word]) => (
          <li key={word}>
            <Link
              href={addressOf({ ...filters, status })}
              className={classes(css.tab, filters.status === status && css.here)}
              aria-current={filters.status === status ? 'true' : undefined}
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
