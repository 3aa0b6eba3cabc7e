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

/** A conversation at a glance. All of it leads there; what can be done to it lies on top. */
export function ConversationRow({ conversation, onCancelled }: ConversationRowProps) {
  const { id, agent, status, title, questionsAsked, parent, updatedAt } = conversation;
  const name = useId();
  const link = useRef<HTMLAnchorElement>(null);
  const gist = summarizeConversation(conversation);
  return (
    <article className={css.row} aria-labelledby={name} data-conversation={id} data-status={status}>
      <div className={css.what}>
        <h2 id={name} className={css.title}>
          <Link ref={link} href={conversationPath(id)} className={css.link} dir="auto">
            {title || id}
          </Link>
        </h2>
        {gist && <SummaryText gist={gist} />}
      </div>
      <p className={css.status}>
        <StatusPill status={status} />
      </p>
      <p className={css.who}>
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
        <span className={css.when}>
          <span className="unseen">Updated </span>
          <TimeAgo at={updatedAt} />
        </span>
        {questionsAsked > 0 && <span>{formatQuestionCount(questionsAsked)}</span>}
      </p>
      <ConversationRowActions
        conversation={conversation}
        onCancelled={() => {
          // The button that was pressed is about to go.
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

const SUMMARY_PREFIX = { question: 'Asks: ', failure: 'Why: ', cancel: 'Why: ', result: 'Result: ' };
const SUMMARY_ICONS = {
  question: MessageCircleQuestion,
  failure: CircleAlert,
  cancel: undefined,
  result: undefined,
};

function SummaryText({ gist: { about, text } }: { gist: ConversationSummary }) {
  const Icon = SUMMARY_ICONS[about];
  return (
    <p className={joinClassNames(css.gist, css[about])}>
      {Icon && <Icon className={css.icon} size={16} aria-hidden="true" />}
      <span className="unseen">{SUMMARY_PREFIX[about]}</span>
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
  const mayCancel = useHasScope('conversations:write') && !hasConversationEnded({ status });
  return (
    <div className={css.actions}>
      {mayCancel && (
        <Button look="quiet" title="Cancel this conversation" onClick={() => setCancelling(true)}>
          <Ban size={18} aria-hidden="true" />
          <span className="unseen">Cancel …</span>
        </Button>
      )}
      <ExportButton id={id} isBare />
      <TemporalLink links={links} wordClass="unseen" />
      {isCancelling && (
        <CancelDialog
          id={id}
          title={title}
          onClose={() => setCancelling(false)}
          onCancelled={() => {
            // Closed first: while it is open nothing behind it takes the focus.
            flushSync(() => setCancelling(false));
            onCancelled();
          }}
        />
      )}
    </div>
  );
}
