import { SendHorizontal } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useId, useRef, useState } from 'react';
import type { ParleyError } from '#client/parley-error';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { apiClient } from '../../api/client';
import { reuseOrCreateAttempt, type SubmitAttempt } from '../../api/idempotency';
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

/** Sends a further message. Says beforehand how the message will be handled. */
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
      setError(sendErrorText(thrown as ParleyError));
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
          placeholder={`Write to ${conversation.agent}`}
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

function sendErrorText({ code, message }: ParleyError): string {
  return code === 'network'
    ? 'Parley cannot be reached. What you wrote is kept here: send it again when you are back online. It is read once.'
    : message;
}

function composerHint(conversation: Conversation): string {
  const { question } = conversation;
  if (hasConversationEnded(conversation)) return 'A message takes the conversation up again, with everything it knows.';
  if (!question) return 'The agent reads your message at its next step.';
  if (isAnsweredByText(question)) return 'While this question is open, your message is the answer to it.';
  return 'The agent reads your message once the question is settled.';
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
