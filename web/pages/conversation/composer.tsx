import { SendHorizontal } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useId, useRef, useState } from 'react';
import type { ParleyError } from '#client/parley-error';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { apiClient } from '../../api/client';
import { resendText, reuseOrCreateAttempt, type SubmitAttempt } from '../../api/idempotency';
import { hasConversationEnded, type KeyedEntry } from '../../conversation/timeline-state';
import { useSingleFlight } from '../../lib/use-single-flight';
import { useDraft } from '../../session/drafts';
import { Button } from '../../ui/button';
import input from '../../ui/styles/input.module.css';
import css from './composer.module.css';

interface Props {
  conversation: Conversation;
  entries: readonly KeyedEntry[];
  onSent: () => void;
}

interface MessageDraft {
  text: string;
  attempt?: SubmitAttempt;
}

const EMPTY_MESSAGE_DRAFT: MessageDraft = { text: '' };

/** Sends a message. A hint says how it will be handled. */
export function MessageComposer({ conversation, entries, onSent }: Props) {
  const { id } = conversation;
  const [draft, setDraft, discardDraft] = useDraft<MessageDraft>(`message.${id}`, EMPTY_MESSAGE_DRAFT);
  const { isBusy, run } = useSingleFlight();
  const [error, setError] = useState<string>();
  const [sent, setSent] = useState<{ text: string; afterEntryId: number }[]>([]);
  const form = useRef<HTMLFormElement>(null);
  const textareaId = useId();

  const { text } = draft;
  const latestText = useRef(text);
  latestText.current = text;
  const send = async () => {
    setError(undefined);
    const attempt = reuseOrCreateAttempt(draft.attempt, { text });
    setDraft({ text, attempt });
    try {
      await apiClient.say(id, text, { idempotencyKey: attempt.key });
      setSent([...sent, { text, afterEntryId: entries.at(-1)?.id ?? 0 }]);
      // Text typed in the meantime belongs to the next message.
      if (latestText.current === text) {
        setDraft(EMPTY_MESSAGE_DRAFT);
        discardDraft();
      }
      onSent();
    } catch (thrown) {
      const { code, message } = thrown as ParleyError;
      setError(code === 'network' ? resendText('message') : message);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') void run(send);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };

  return (
    <form ref={form} className={css.composer} onSubmit={submit}>
      <QueuedMessages sent={sent} entries={entries} />
      {error && (
        <p className={css.error} role="alert">
          {error}
        </p>
      )}
      <div className={css.row}>
        <label className="visually-hidden" htmlFor={textareaId}>
          Message to {conversation.agent}
        </label>
        <textarea
          id={textareaId}
          className={`${input.input} ${css.textarea}`}
          rows={1}
          placeholder={`Message ${conversation.agent}`}
          value={text}
          dir="auto"
          aria-describedby={`${textareaId}-hint`}
          onChange={({ target }) => setDraft({ ...draft, text: target.value })}
          onKeyDown={onKeyDown}
        />
        <Button type="submit" variant="primary" isBusy={isBusy} aria-label="Send message">
          <SendHorizontal size={18} aria-hidden="true" />
        </Button>
      </div>
      <p id={`${textareaId}-hint`} className={css.hint}>
        {composerHint(conversation)}
      </p>
    </form>
  );
}

function composerHint(conversation: Conversation): string {
  const { question } = conversation;
  if (hasConversationEnded(conversation)) return 'Send a message to resume this conversation.';
  if (!question) return "Delivered at the agent's next step.";
  if (isAnsweredByText(question)) return 'Your message will be sent as the answer.';
  return 'Delivered after the question is answered.';
}

/**
 * Returns whether a message answers the question, by the workflow's rule: a single field that takes text, and never a
 * confirmation.
 */
function isAnsweredByText({ fields, confirms }: Question): boolean {
  const [field, ...more] = fields;
  if (!field || more.length > 0 || confirms) return false;
  if (field.schema) return field.schema.type === 'string' && !field.schema.enum;
  return !field.options || field.allowOther;
}

interface QueuedMessagesProps {
  sent: readonly { text: string; afterEntryId: number }[];
  entries: readonly KeyedEntry[];
}

/** Sent messages that are not in the timeline yet. */
function QueuedMessages({ sent, entries }: QueuedMessagesProps) {
  const queued = sent.filter(
    ({ text, afterEntryId }) =>
      !entries.some(
        (entry) =>
          entry.id > afterEntryId && (entry.kind === 'message' ? entry.text === text : isAnswerWithText(entry, text)),
      ),
  );
  if (queued.length === 0) return null;
  return (
    <ul className={css.queued} aria-label="Sent, not read yet">
      {queued.map(({ text, afterEntryId }) => (
        <li key={`${afterEntryId} ${text}`} dir="auto">
          {text}
        </li>
      ))}
    </ul>
  );
}

function isAnswerWithText(entry: KeyedEntry, text: string): boolean {
  return (
    entry.kind === 'question' && JSON.stringify(entry.question.outcome?.answers ?? '').includes(JSON.stringify(text))
  );
}
