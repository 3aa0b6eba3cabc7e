import { useId } from 'react';
import { Button } from '../design/button';
import { Dialog } from '../design/dialog';
import css from './answer-form.module.css';
import input from './input.module.css';

interface Props {
  reason: string;
  onReason: (reason: string) => void;
  onClose: () => void;
  onDecline: () => void;
}

export function DeclineDialog({ reason, onReason, onClose, onDecline }: Props) {
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
