import { Plus } from 'lucide-react';
import { Link, useLocation, useSearch } from 'wouter';
import { buttonClass } from '../design/button';
import { useMay } from '../session/session';
import { useTitle } from '../shell/page-title';
import { FilterBar } from './filter-bar';
import { addressOf, type Filters, readFilters } from './filters';
import { ConversationList } from './list';
import css from './page.module.css';
import { useConversations } from './use-conversations';

/** Everything that goes on and has gone on, for those who look after it. */
export function ConversationsPage() {
  useTitle('Conversations');
  const [, go] = useLocation();
  const filters = readFilters(useSearch());
  const mayStart = useMay('conversations:write');
  const found = useConversations(filters);
  const change = (next: Partial<Filters>, { replace = false } = {}) =>
    go(addressOf({ ...filters, ...next }), { replace });
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 className={css.title}>Conversations</h1>
        {mayStart && (
          <Link href="/new" className={buttonClass('primary')}>
            <Plus size={18} aria-hidden="true" />
            New conversation
          </Link>
        )}
      </header>
      <FilterBar filters={filters} counts={found.counts} onChange={change} />
      <ConversationList found={found} filters={filters} />
    </div>
  );
}
