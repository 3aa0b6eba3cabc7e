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

/** Lists all conversations, running and finished. */
export function ConversationListPage() {
  useDocumentTitle('Conversations');
  const [, navigate] = useLocation();
  const filters = parseConversationFilters(useSearch());
  const canStart = useHasScope('conversations:write');
  const results = useConversationList(filters);
  const updateFilters = (changes: Partial<ConversationFilters>, { replace = false } = {}) =>
    navigate(formatConversationsPath({ ...filters, ...changes }), { replace });
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 className={css.title}>Conversations</h1>
        {canStart && (
          <Link href="/new" className={buttonClassName('primary')}>
            <Plus size={18} aria-hidden="true" />
            New conversation
          </Link>
        )}
      </header>
      <ConversationFilterBar filters={filters} counts={results.counts} onChange={updateFilters} />
      <ConversationList results={results} filters={filters} />
    </div>
  );
}
