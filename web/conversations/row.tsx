import { CircleAlert, MessageCircleQuestion } from 'lucide-react';
import { useId, useRef } from 'react';
import { Link } from 'wouter';
import type { Conversation } from '#contract/conversation';
import { type Gist, gistOf } from '#core/gist';
import { StatusPill } from '../conversation/status-pill';
import { classes } from '../design/classes';
import { Ago } from '../design/time';
import css from './row.module.css';
import { RowActions } from './row-actions';

interface Props {
  conversation: Conversation;
  onCancelled: () => void;
}

/** A conversation at a glance. All of it leads there; what can be done to it lies on top. */
export function ConversationRow({ conversation, onCancelled }: Props) {
  const { id, agent, status, title, questionsAsked, parent, updatedAt } = conversation;
  const name = useId();
  const link = useRef<HTMLAnchorElement>(null);
  const gist = gistOf(conversation);
  return (
    <article className={css.row} aria-labelledby={name} data-conversation={id} data-status={status}>
      <div className={css.what}>
        <h2 id={name} className={css.title}>
          <Link ref={link} href={pageOf(id)} className={css.link} dir="auto">
            {title || id}
          </Link>
        </h2>
        {gist && <GistLine gist={gist} />}
      </div>
      <p className={css.status}>
        <StatusPill status={status} />
      </p>
      <p className={css.who}>
        <span className={css.agent}>{agent}</span>
        {parent && (
          <span>
            for{' '}
            <Link href={pageOf(parent.conversationId)} className={css.parent}>
              {parent.agent}
            </Link>
          </span>
        )}
      </p>
      <p className={css.facts}>
        <span className={css.when}>
          <span className="unseen">Updated </span>
          <Ago at={updatedAt} />
        </span>
        {questionsAsked > 0 && <span>{questionsText(questionsAsked)}</span>}
      </p>
      <RowActions
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

function pageOf(id: string): string {
  return `/conversations/${encodeURIComponent(id)}`;
}

function questionsText(count: number): string {
  return count === 1 ? '1 question' : `${count.toLocaleString('en')} questions`;
}

const ABOUT = { question: 'Asks: ', failure: 'Why: ', cancel: 'Why: ', result: 'Result: ' };
const ICONS = { question: MessageCircleQuestion, failure: CircleAlert, cancel: undefined, result: undefined };

function GistLine({ gist: { about, text } }: { gist: Gist }) {
  const Icon = ICONS[about];
  return (
    <p className={classes(css.gist, css[about])}>
      {Icon && <Icon className={css.icon} size={16} aria-hidden="true" />}
      <span className="unseen">{ABOUT[about]}</span>
      <span className={css.text} dir="auto">
        {text}
      </span>
    </p>
  );
}
