import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Conversation } from '#contract/conversation';
import { CancelDialog } from '../../conversation/cancel-dialog';
import { ExportButton, StatusPill, TemporalLink } from '../../conversation/conversation-controls';
import { hasConversationEnded } from '../../conversation/timeline-state';
import { useHasScope } from '../../session/session';
import { Button } from '../../ui/button';
import css from './conversation-header.module.css';

interface Props {
  conversation: Conversation;
  onCancelled: () => void;
}

export function ConversationHeader({ conversation, onCancelled }: Props) {
  const [isCancelling, setCancelling] = useState(false);
  const canWrite = useHasScope('conversations:write');
  const { id, title, agent, status, parent, links } = conversation;
  return (
    <header className={css.header}>
      <Link href="/conversations" className={css.back} aria-label="All conversations">
        <ArrowLeft size={18} aria-hidden="true" />
      </Link>
      <div className={css.titleBlock}>
        <h1 dir="auto">{title || id}</h1>
        <p className={css.facts}>
          <StatusPill status={status} />
          <span>{agent}</span>
          {parent && (
            <span>
              for <Link href={`/conversations/${parent.conversationId}`}>{parent.agent}</Link>
            </span>
          )}
        </p>
      </div>
      <div className={css.actions}>
        <TemporalLink links={links} />
        <ExportButton id={id} />
        {canWrite && !hasConversationEnded(conversation) && (
          <Button variant="quiet" onClick={() => setCancelling(true)}>
            Stop agent…
          </Button>
        )}
      </div>
      {isCancelling && (
        <CancelDialog
          id={id}
          title={title}
          onClose={() => setCancelling(false)}
          onCancelled={() => {
            setCancelling(false);
            onCancelled();
          }}
        />
      )}
    </header>
  );
}
