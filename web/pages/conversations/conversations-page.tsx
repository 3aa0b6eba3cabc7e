import { Plus } from 'lucide-react';
import { Link, useLocation, useSearch } from 'wouter';
import { useDocumentTitle } from '../../lib/document-title';
import { useHasScope } from '../../session/session';
import { buttonClassName } from '../../ui/button';
import { ConversationList } from './conversation-list';
import { type ConversationFilters, formatConversationsPath, parseConversationFilters } from './conversation-search';
import css from './conversations-page.module.css';
import { ConversationFilterBar } from './filter-bar';
import { useConversationList } from './use-conversation-list';

/** Everything that goes on and has gone on, for those who look after it. */
export function ConversationListPage() {
  useDocumentTitle('Conversations');
  const [, go] = useLocation();
  const filters = parseConversationFilters(useSearch());
  const mayStart = useHasScope('conversations:write');
  const found = useConversationList(filters);
  const change = (next: Partial<ConversationFilters>, { replace = false } = {}) =>
    go(formatConversationsPath({ ...filters, ...next }), { replace });
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 className={css.title}>Conversations</h1>
        {mayStart && (
          <Link href="/new" className={buttonClassName('primary')}>
            <Plus size={18} aria-hidden="true" />
            New conversation
          </Link>
        )}
      </header>
      <ConversationFilterBar filters={filters} counts={found.counts} onChange={change} />
      <ConversationList found={found} filters={filters} />
    </div>
  );
}
