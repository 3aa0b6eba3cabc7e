import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { Question } from '#contract/question';
import { looksDestructive } from '#presentation/confirmation';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import input from '../ui/styles/input.module.css';
import css from './answer-form.module.css';
import { QuestionFieldInput } from './fields/question-field';
import { type AnswerDraft, formatAnswerDraft, useAnswerForm } from './use-answer-form';

interface AnswerFormProps {
  question: Question;
  onSettled: ((question: Question) => void) | undefined;
}

const YES_PATTERN = /^yes\b/i;

/** The fields, a comment, and the one button that sends. */
export function AnswerForm({ question, onSettled }: AnswerFormProps) {
  const { draft, change, faults, isSending, answer, decline } = useAnswerForm(question, onSettled ?? noop);
  const [isDeclining, setDeclining] = useState(false);
  const [isCommenting, setCommenting] = useState(draft.comment !== '');
  const form = useRef<HTMLFormElement>(null);
  const id = useId();

  // Once for each try: while one mends a field, the next must not take the focus.
  const seeksFault = useRef(false);
  useEffect(() => {
    if (!seeksFault.current || Object.keys(faults.fields).length === 0) return;
    seeksFault.current = false;
    form.current?.querySelector<HTMLElement>(FIRST_INVALID)?.focus();
  }, [faults]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    seeksFault.current = true;
    void answer();
  };

  const press = (event: KeyboardEvent<HTMLFormElement>) => {
    // Held down it would send this answer and then the next question's.
    if (event.key === 'Enter' && event.repeat && !(event.target instanceof HTMLTextAreaElement)) event.preventDefault();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
    if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
  };

  if (draft.isAccepted) return <AcceptedAnswer draft={draft} fields={question.fields} />;
  return (
    <>
      <form ref={form} className={css.form} onSubmit={submit} onKeyDown={press} noValidate aria-busy={isSending}>
        <div>
          {question.fields.map((field) => (
            <QuestionFieldInput
              key={field.key}
              field={field}
              isOnly={question.fields.length === 1}
              filling={draft.form[field.key] ?? { picked: [], isOther: false, other: '', text: '' }}
              fault={faults.fields[field.key]}
              onChange={(filling) => change({ form: { ...draft.form, [field.key]: filling } })}
            />
          ))}
        </div>
        <details
          className={css.comment}
          open={isCommenting}
          onToggle={(event) => setCommenting(event.currentTarget.open)}
        >
          <summary data-comment>Add a comment</summary>
          <label className="unseen" htmlFor={`${id}-comment`}>
            Comment for the agent
          </label>
          <textarea
            id={`${id}-comment`}
            className={`${input.input} ${input.area}`}
            rows={2}
            placeholder="Anything the agent should know besides"
            value={draft.comment}
            dir="auto"
            onChange={(event) => change({ comment: event.target.value })}
          />
        </details>
        {faults.form && (
          <p className={css.fault} role="alert">
            {faults.form}
          </p>
        )}
        <div className={`${css.buttons} ${css.send}`}>
          <Button type="submit" look={submitLook(question, draft.form)} isBusy={isSending} data-send>
            {isSending ? 'Sending …' : submitLabel(question, draft.form)}
          </Button>
          <Button look="quiet" onClick={() => setDeclining(true)} disabled={isSending} data-decline>
            Decline …
          </Button>
        </div>
      </form>
      {/* Beside the form: one within another would be sent with it. */}
      {isDeclining && (
        <DeclineDialog
          reason={draft.reason ?? ''}
          onReason={(reason) => change({ reason })}
          onClose={() => setDeclining(false)}
          onDecline={() => {
            setDeclining(false);
            void decline();
          }}
        />
      )}
    </>
  );
}

const FIRST_INVALID = '[data-invalid] :is(input, textarea, select)';

function noop(): void {}

type PickedOptions = Record<string, { picked: string[] }>;

/** An answer to a confirmation is sent by its own words. */
function submitLabel({ confirms, fields }: Question, form: PickedOptions): string {
  const picked = form[fields[0]?.key ?? '']?.picked[0];
  return confirms && picked ? `Send “${picked}”` : 'Send answer';
}

function submitLook(question: Question, form: PickedOptions): 'danger' | 'primary' {
  const picked = form[question.fields[0]?.key ?? '']?.picked[0] ?? '';
  return looksDestructive(question) && YES_PATTERN.test(picked) ? 'danger' : 'primary';
}

/** What was sent is shown, and sent no more: it will be acted on. */
function AcceptedAnswer({ draft, fields }: { draft: AnswerDraft; fields: Question['fields'] }) {
  return (
    <div className={css.accepted}>
      <p role="status">
        Your answer is safe. No worker has taken it up yet: the agent goes on as soon as one is running.
      </p>
      <ul className={css.sent}>
        {formatAnswerDraft(draft, fields).map((line) => (
          <li key={line} dir="auto">
            {line}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface DeclineDialogProps {
  reason: string;
  onReason: (reason: string) => void;
  onClose: () => void;
  onDecline: () => void;
}

function DeclineDialog({ reason, onReason, onClose, onDecline }: DeclineDialogProps) {
  const id = useId();
  return (
    <Dialog title="Decline this question?" onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          onDecline();
        }}
      >
        <p>The agent hears that you will not answer, and goes on without. This cannot be taken back.</p>
        <div>
          <label htmlFor={id}>Reason (optional)</label>
          <textarea
            id={id}
            className={`${input.input} ${input.area}`}
            rows={2}
            maxLength={4_000}
            value={reason}
            dir="auto"
            onChange={(event) => onReason(event.target.value)}
          />
        </div>
        <div className={css.buttons}>
          <Button type="submit" look="primary">
            Decline
          </Button>
          <Button look="quiet" onClick={onClose}>
            Keep it open
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
