import { Ban, CircleAlert, MessageCircleQuestion } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import type { Conversation } from '#contract/conversation';
import { type ConversationSummary, summarizeConversation } from '#presentation/labels';
import { CancelDialog } from '../../conversation/cancel-dialog';
import { ExportButton, StatusPill, TemporalLink } from '../../conversation/conversation-controls';
import { hasConversationEnded } from '../../conversation/timeline-state';
import { joinClassNames } from '../../lib/class-names';
import { useHasScope } from '../../session/session';
import { Button } from '../../ui/button';
import { TimeAgo } from '../../ui/time';
import css from './conversation-row.module.css';

interface ConversationRowProps {
  conversation: Conversation;
  onCancelled: () => void;
}

/** A summary of one conversation. The whole row is a link, with the action buttons on top. */
export function ConversationRow({ conversation, onCancelled }: ConversationRowProps) {
  const { id, agent, status, title, questionsAsked, parent, updatedAt } = conversation;
  const titleId = useId();
  const link = useRef<HTMLAnchorElement>(null);
  const summary = summarizeConversation(conversation);
  return (
    <article className={css.row} aria-labelledby={titleId} data-conversation={id} data-status={status}>
      <div className={css.main}>
        <h2 id={titleId} className={css.title}>
          <Link ref={link} href={conversationPath(id)} className={css.link} dir="auto">
            {title || id}
          </Link>
        </h2>
        {summary && <SummaryText summary={summary} />}
      </div>
      <p className={css.status}>
        <StatusPill status={status} />
      </p>
      <p className={css.agentLine}>
        <span className={css.agent}>{agent}</span>
        {parent && (
          <span>
            for{' '}
            <Link href={conversationPath(parent.conversationId)} className={css.parent}>
              {parent.agent}
            </Link>
          </span>
        )}
      </p>
      <p className={css.facts}>
        <span className={css.updated}>
          <span className="visually-hidden">Updated </span>
          <TimeAgo at={updatedAt} />
        </span>
        {questionsAsked > 0 && <span>{formatQuestionCount(questionsAsked)}</span>}
      </p>
      <ConversationRowActions
        conversation={conversation}
        onCancelled={() => {
          // The pressed button is about to disappear.
          link.current?.focus();
          onCancelled();
        }}
      />
    </article>
  );
}

function conversationPath(id: string): string {
  return `/conversations/${encodeURIComponent(id)}`;
}

function formatQuestionCount(count: number): string {
  return count === 1 ? '1 question' : `${count.toLocaleString('en')} questions`;
}

const SUMMARY_PREFIX = { question: 'Asks: ', failure: 'Reason: ', cancel: 'Reason: ', result: 'Result: ' };
const SUMMARY_ICONS = {
  question: MessageCircleQuestion,
  failure: CircleAlert,
  cancel: undefined,
  result: undefined,
};

function SummaryText({ summary: { kind, text } }: { summary: ConversationSummary }) {
  const Icon = SUMMARY_ICONS[kind];
  return (
    <p className={joinClassNames(css.summary, css[kind])}>
      {Icon && <Icon className={css.icon} size={16} aria-hidden="true" />}
      <span className="visually-hidden">{SUMMARY_PREFIX[kind]}</span>
      <span className={css.text} dir="auto">
        {text}
      </span>
    </p>
  );
}

interface ConversationRowActionsProps {
  conversation: Conversation;
  onCancelled: () => void;
}

function ConversationRowActions({
  conversation: { id, title, status, links },
  onCancelled,
}: ConversationRowActionsProps) {
  const [isCancelling, setCancelling] = useState(false);
  const canCancel = useHasScope('conversations:write') && !hasConversationEnded({ status });
  return (
    <div className={css.actions}>
      {canCancel && (
        <Button variant="quiet" title="Stop agent…" onClick={() => setCancelling(true)}>
          <Ban size={18} aria-hidden="true" />
          <span className="visually-hidden">Stop agent…</span>
        </Button>
      )}
      <ExportButton id={id} isIconOnly />
      <TemporalLink links={links} labelClassName="visually-hidden" />
      {isCancelling && (
        <CancelDialog
          id={id}
          title={title}
          onClose={() => setCancelling(false)}
          onCancelled={() => {
            // Closed first, because an open dialog blocks focus on everything behind it.
            flushSync(() => setCancelling(false));
            onCancelled();
          }}
        />
      )}
    </div>
  );
}
