import { SendHorizontal } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useId, useRef, useState } from 'react';
import type { ParleyError } from '#client/parley-error';
import type { Conversation } from '#contract/conversation';
import type { Question } from '#contract/question';
import { type Attempt, attemptFor } from '../attempt';
import { Button } from '../design/button';
import { useOnce } from '../design/use-once';
import { useDraft } from '../drafts';
import { parley } from '../parley';
import input from '../question/input.module.css';
import css from './composer.module.css';
import { isFinished, type Told } from './story';

interface Props {
  conversation: Conversation;
  entries: readonly Told[];
  onSent: () => void;
}

interface MessageDraft {
  text: string;
  attempt?: Attempt;
}

const BLANK: MessageDraft = { text: '' };

/** A further message. It says beforehand what will become of it. */
export function Composer({ conversation, entries, onSent }: Props) {
  const { id } = conversation;
  const [draft, write, forget] = useDraft<MessageDraft>(`message.${id}`, BLANK);
  const { isBusy, once } = useOnce();
  const [fault, setFault] = useState<string>();
  const [sent, setSent] = useState<{ text: string; after: number }[]>([]);
  const form = useRef<HTMLFormElement>(null);
  const box = useId();

  const { text } = draft;
  const typed = useRef(text);
  typed.current = text;
  const send = async () => {
    setFault(undefined);
    const attempt = attemptFor(draft.attempt, { text });
    write({ text, attempt });
    try {
      await parley.say(id, text, { idempotencyKey: attempt.key });
      setSent([...sent, { text, after: entries.at(-1)?.id ?? 0 }]);
      // What was typed meanwhile is the beginning of the next.
      if (typed.current === text) {
        write(BLANK);
        forget();
      }
      onSent();
    } catch (error) {
      setFault(faultText(error as ParleyError));
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') void once(send);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };

  return (
    <form ref={form} className={css.composer} onSubmit={submit}>
      <Queued sent={sent} entries={entries} />
      {fault && (
        <p className={css.fault} role="alert">
          {fault}
        </p>
      )}
      <div className={css.line}>
        <label className="unseen" htmlFor={box}>
          Message to {conversation.agent}
        </label>
        <textarea
          id={box}
          className={`${input.input} ${css.box}`}
          rows={1}
          placeholder={`Write to ${conversation.agent}`}
          value={text}
          dir="auto"
          aria-describedby={`${box}-hint`}
          onChange={({ target }) => write({ ...draft, text: target.value })}
          onKeyDown={press}
        />
        <Button type="submit" look="primary" isBusy={isBusy} aria-label="Send message">
          <SendHorizontal size={18} aria-hidden="true" />
        </Button>
      </div>
      <p id={`${box}-hint`} className={css.hint}>
        {hintOf(conversation)}
      </p>
    </form>
  );
}

function faultText({ code, message }: ParleyError): string {
  return code === 'network'
    ? 'Parley cannot be reached. What you wrote is kept here: send it again when you are back online. It is read once.'
    : message;
}

function hintOf(conversation: Conversation): string {
  const { question } = conversation;
  if (isFinished(conversation)) return 'A message takes the conversation up again, with everything it knows.';
  if (!question) return 'The agent reads your message at its next step.';
  if (answersByText(question)) return 'While this question is open, your message is the answer to it.';
  return 'The agent reads your message once the question is settled.';
}

/** As the workflow does it: one field that takes text, and never a confirmation. */
function answersByText({ fields, confirms }: Question): boolean {
  const [field, ...more] = fields;
  if (!field || more.length > 0 || confirms) return false;
  if (field.schema) return field.schema.type === 'string' && !field.schema.enum;
  return !field.options || field.allowOther;
}

interface QueuedProps {
  sent: readonly { text: string; after: number }[];
  entries: readonly Told[];
}

/** What was sent and is not in the timeline yet. */
function Queued({ sent, entries }: QueuedProps) {
  const waiting = sent.filter(
    ({ text, after }) =>
      !entries.some(
        (entry) =>
          entry.id > after && (entry.kind === 'message' ? entry.text === text : isAnswer(entry, text)),
      ),
  );
  if (waiting.length === 0) return null;
  return (
    <ul className={css.queued} aria-label="Sent, not read yet">
      {waiting.map(({ text, after }) => (
        <li key={`${after} ${text}`} dir="auto">
          {text}
        </li>
      ))}
    </ul>
  );
}

function isAnswer(entry: Told, text: string): boolean {
  return (
    entry.kind === 'question' &&
    JSON.stringify(entry.question.outcome?.answers ?? '').includes(JSON.stringify(text))
  );
}
