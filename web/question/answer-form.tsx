import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { Question } from '#contract/question';
import { isDangerous } from '#core/danger';
import { Button } from '../design/button';
import css from './answer-form.module.css';
import { DeclineDialog } from './decline-dialog';
import { FieldControl } from './field';
import input from './input.module.css';
import { linesOf } from './unsent';
import { type Draft, useForm } from './use-form';

interface Props {
  question: Question;
  onSettled: ((question: Question) => void) | undefined;
}

const YES = /^yes\b/i;

/** The fields, a comment, and the one button that sends. */
export function AnswerForm({ question, onSettled }: Props) {
  const { draft, change, faults, isSending, answer, decline } = useForm(question, onSettled ?? ignore);
  const [isDeclining, setDeclining] = useState(false);
  const [isCommenting, setCommenting] = useState(draft.comment !== '');
  const form = useRef<HTMLFormElement>(null);
  const id = useId();

  // Once for each try: while one mends a field, the next must not take the focus.
  const seeksFault = useRef(false);
  useEffect(() => {
    if (!seeksFault.current || Object.keys(faults.fields).length === 0) return;
    seeksFault.current = false;
    form.current?.querySelector<HTMLElement>(FIRST_FAULT)?.focus();
  }, [faults]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    seeksFault.current = true;
    void answer();
  };

  const press = (event: KeyboardEvent<HTMLFormElement>) => {
    // Held down it would send this answer and then the next question's.
    if (event.key === 'Enter' && event.repeat && !(event.target instanceof HTMLTextAreaElement))
      event.preventDefault();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
    if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
  };

  if (draft.isAccepted) return <Accepted draft={draft} fields={question.fields} />;
  return (
    <>
      <form
        ref={form}
        className={css.form}
        onSubmit={submit}
        onKeyDown={press}
        noValidate
        aria-busy={isSending}
      >
        <div>
          {question.fields.map((field) => (
            <FieldControl
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
          <Button type="submit" look={lookOf(question, draft.form)} isBusy={isSending} data-send>
            {isSending ? 'Sending …' : labelOf(question, draft.form)}
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

const FIRST_FAULT = '[data-invalid] :is(input, textarea, select)';

function ignore(): void {}

type Picked = Record<string, { picked: string[] }>;

/** An answer to a confirmation is sent by its own words. */
function labelOf({ confirms, fields }: Question, form: Picked): string {
  const picked = form[fields[0]?.key ?? '']?.picked[0];
  return confirms && picked ? `Send “${picked}”` : 'Send answer';
}

function lookOf(question: Question, form: Picked): 'danger' | 'primary' {
  const picked = form[question.fields[0]?.key ?? '']?.picked[0] ?? '';
  return isDangerous(question) && YES.test(picked) ? 'danger' : 'primary';
}

/** What was sent is shown, and sent no more: it will be acted on. */
function Accepted({ draft, fields }: { draft: Draft; fields: Question['fields'] }) {
  return (
    <div className={css.accepted}>
      <p role="status">
        Your answer is safe. No worker has taken it up yet: the agent goes on as soon as one is running.
      </p>
      <ul className={css.sent}>
        {linesOf(draft, fields).map((line) => (
          <li key={line} dir="auto">
            {line}
          </li>
        ))}
      </ul>
    </div>
  );
}
