import { type FormEvent, useId, useRef, useState } from 'react';
import { ParleyError } from '#client/parley-error';
import { apiClient } from '../api/client';
import { reuseOrCreateAttempt, type SubmitAttempt } from '../api/idempotency';
import { joinClassNames } from '../lib/class-names';
import { useSingleFlight } from '../lib/use-single-flight';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import input from '../ui/styles/input.module.css';
import { showToast } from '../ui/toast';
import css from './cancel-dialog.module.css';

interface Props {
  id: string;
  title: string;
  onClose: () => void;
  /** The conversation has ended, by this request or before it. */
  onCancelled: () => void;
}

export function CancelDialog({ id, title, onClose, onCancelled }: Props) {
  const [reason, setReason] = useState('');
  const { cancel, isSending, error } = useCancelConversation(id, onCancelled);
  const reasonId = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void cancel(reason.trim());
  };
  return (
    <Dialog title="Stop this agent?" onClose={onClose}>
      <form className={css.form} onSubmit={submit} aria-busy={isSending}>
        <p className={css.title} dir="auto">
          {title}
        </p>
        <p>The agent and its sub-agents stop, and open questions close. You can resume later with a message.</p>
        <div>
          <label className={css.label} htmlFor={reasonId}>
            Reason (optional)
          </label>
          <textarea
            id={reasonId}
            className={joinClassNames(input.input, input.area)}
            rows={2}
            maxLength={4_000}
            value={reason}
            dir="auto"
            onChange={(event) => setReason(event.target.value)}
          />
        </div>
        {error && (
          <p className={css.error} role="alert">
            {error}
          </p>
        )}
        <div className={css.buttons}>
          <Button type="submit" variant="danger" isBusy={isSending}>
            Stop agent
          </Button>
          <Button variant="quiet" onClick={onClose}>
            Keep running
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Cancels once, however often the button is pressed. */
function useCancelConversation(id: string, onCancelled: () => void) {
  const { isBusy: isSending, run } = useSingleFlight();
  const [error, setError] = useState<string>();
  const attempt = useRef<SubmitAttempt>(undefined);

  const send = async (reason: string) => {
    setError(undefined);
    attempt.current = reuseOrCreateAttempt(attempt.current, { reason });
    try {
      await apiClient.cancel(id, reason || undefined, { idempotencyKey: attempt.current.key });
      showToast('Stopping agent…');
      onCancelled();
    } catch (thrown) {
      if (!isAlreadyFinished(thrown)) return setError((thrown as Error).message);
      showToast('Already finished');
      onCancelled();
    }
  };

  return { cancel: (reason: string) => run(() => send(reason)), isSending, error };
}

function isAlreadyFinished(error: unknown): boolean {
  return error instanceof ParleyError && error.code === 'conversation_finished';
}
