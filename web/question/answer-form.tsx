import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { Question } from '#contract/question';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import input from '../ui/styles/input.module.css';
import css from './answer-form.module.css';
import { QuestionFieldInput } from './fields/question-field';
import { type AnswerDraft, formatAnswerDraft, useAnswerForm } from './use-answer-form';

interface AnswerFormProps {
  question: Question;
  onSubmitted: ((question: Question) => void) | undefined;
}

const YES_PATTERN = /^yes\b/i;

/** The fields of a question, a comment, and the submit button. */
export function AnswerForm({ question, onSubmitted }: AnswerFormProps) {
  const { draft, updateDraft, errors, isSending, answer, decline } = useAnswerForm(question, onSubmitted ?? noop);
  const [isDeclineOpen, setDeclineOpen] = useState(false);
  const [isCommentOpen, setCommentOpen] = useState(draft.comment !== '');
  const form = useRef<HTMLFormElement>(null);
  const formId = useId();

  // Once per submission: focus must not move while the person corrects a field.
  const shouldFocusError = useRef(false);
  useEffect(() => {
    if (!shouldFocusError.current || Object.keys(errors.fields).length === 0) return;
    shouldFocusError.current = false;
    form.current?.querySelector<HTMLElement>(FIRST_INVALID_SELECTOR)?.focus();
  }, [errors]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    shouldFocusError.current = true;
    void answer();
  };

  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    // A held Enter would send this answer and then the next question's.
    if (event.key === 'Enter' && event.repeat && !(event.target instanceof HTMLTextAreaElement)) event.preventDefault();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
    if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
  };

  if (draft.isAccepted) return <AcceptedAnswer draft={draft} fields={question.fields} />;
  return (
    <>
      <form ref={form} className={css.form} onSubmit={submit} onKeyDown={onKeyDown} noValidate aria-busy={isSending}>
        <div>
          {question.fields.map((field) => (
            <QuestionFieldInput
              key={field.key}
              field={field}
              isOnlyField={question.fields.length === 1}
              value={draft.form[field.key] ?? { picked: [], isOther: false, other: '', text: '' }}
              error={errors.fields[field.key]}
              onChange={(value) => updateDraft({ form: { ...draft.form, [field.key]: value } })}
            />
          ))}
        </div>
        <details
          className={css.comment}
          open={isCommentOpen}
          onToggle={(event) => setCommentOpen(event.currentTarget.open)}
        >
          <summary data-comment>Add a comment</summary>
          <label className="visually-hidden" htmlFor={`${formId}-comment`}>
            Comment for the agent
          </label>
          <textarea
            id={`${formId}-comment`}
            className={`${input.input} ${input.area}`}
            rows={2}
            placeholder="Anything else the agent should know?"
            value={draft.comment}
            dir="auto"
            onChange={(event) => updateDraft({ comment: event.target.value })}
          />
        </details>
        {errors.form && (
          <p className={css.error} role="alert">
            {errors.form}
          </p>
        )}
        <div className={`${css.buttons} ${css.submitBar}`}>
          <Button type="submit" variant={submitVariant(question, draft.form)} isBusy={isSending} data-send>
            {isSending ? 'Sending…' : submitLabel(question, draft.form)}
          </Button>
          <Button variant="quiet" onClick={() => setDeclineOpen(true)} disabled={isSending} data-decline>
            Skip…
          </Button>
        </div>
      </form>
      {/* Beside the form, because forms cannot be nested. */}
      {isDeclineOpen && (
        <DeclineDialog
          reason={draft.reason ?? ''}
          onReasonChange={(reason) => updateDraft({ reason })}
          onClose={() => setDeclineOpen(false)}
          onDecline={() => {
            setDeclineOpen(false);
            void decline();
          }}
        />
      )}
    </>
  );
}

const FIRST_INVALID_SELECTOR = '[data-invalid] :is(input, textarea, select)';

function noop(): void {}

type PickedOptions = Record<string, { picked: string[] }>;

/** The button of a confirmation names the decision. */
function submitLabel({ confirms, fields }: Question, form: PickedOptions): string {
  const picked = form[fields[0]?.key ?? '']?.picked[0];
  if (!confirms || !picked) return 'Send answer';
  return YES_PATTERN.test(picked) ? 'Approve' : 'Reject';
}

function submitVariant(question: Question, form: PickedOptions): 'danger' | 'primary' {
  const picked = form[question.fields[0]?.key ?? '']?.picked[0] ?? '';
  return question.confirms?.destructive && YES_PATTERN.test(picked) ? 'danger' : 'primary';
}

/** A read-only view of an answer that is accepted but not processed yet. */
function AcceptedAnswer({ draft, fields }: { draft: AnswerDraft; fields: Question['fields'] }) {
  return (
    <div className={css.accepted}>
      <p role="status">Answer saved. Waiting for a worker to pick it up.</p>
      <ul className={css.answerLines}>
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
  onReasonChange: (reason: string) => void;
  onClose: () => void;
  onDecline: () => void;
}

function DeclineDialog({ reason, onReasonChange, onClose, onDecline }: DeclineDialogProps) {
  const id = useId();
  return (
    <Dialog title="Skip this question?" onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          onDecline();
        }}
      >
        <p>The agent will be told you skipped this and continue without an answer. You can't undo this.</p>
        <div>
          <label htmlFor={id}>Reason (optional)</label>
          <textarea
            id={id}
            className={`${input.input} ${input.area}`}
            rows={2}
            maxLength={4_000}
            value={reason}
            dir="auto"
            onChange={(event) => onReasonChange(event.target.value)}
          />
        </div>
        <div className={css.buttons}>
          <Button type="submit" variant="primary">
            Skip
          </Button>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
