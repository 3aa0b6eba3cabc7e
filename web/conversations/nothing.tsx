import { MessagesSquare, SearchX } from 'lucide-react';
import { Link } from 'wouter';
import { STATUS_WORDS } from '#core/words';
import { buttonClass } from '../design/button';
import { Empty } from '../design/empty';
import { useMay } from '../session/session';
import { addressOf, type Filters, NO_FILTERS } from './filters';

/** Why the list is empty, and what to do about it. `hasMore`: there is more to search. */
export function Nothing({ filters, hasMore }: { filters: Filters; hasMore: boolean }) {
  if (addressOf(filters) === addressOf(NO_FILTERS)) return <NoneYet />;
  return (
    <Empty art={<SearchX size={34} />} title={titleFor(filters, hasMore)}>
      <p>{hasMore ? 'It may be among the older ones.' : 'Others may fit if you ask for less.'}</p>
      <Link href={addressOf(NO_FILTERS)} className={buttonClass()}>
        Clear filters
      </Link>
    </Empty>
  );
}

function titleFor({ status, search }: Filters, hasMore: boolean): string {
  if (search) return hasMore ? 'Nothing found so far' : 'Nothing found';
  return status ? `No ${STATUS_WORDS[status].toLowerCase()} conversations` : 'No conversations';
}

function NoneYet() {
  const mayStart = useMay('conversations:write');
  return (
    <Empty art={<MessagesSquare size={34} />} title="No conversations yet">
      <p>Whatever agents do, and whatever they ask, will be listed here.</p>
      {mayStart && (
        <Link href="/new" className={buttonClass('primary')}>
          Start one
        </Link>
      )}
    </Empty>
  );
}
