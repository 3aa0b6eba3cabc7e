import { create } from 'zustand';
import css from './toast.module.css';

interface Toast {
  id: number;
  text: string;
}

const useToast = create<{ toast: Toast | undefined }>(() => ({ toast: undefined }));
const SHOWN_MS = 5_000;
let last = 0;

/** Says something in passing, to ears and eyes. Nothing that must not be missed. */
export function say(text: string): void {
  last += 1;
  const id = last;
  useToast.setState({ toast: { id, text } });
  setTimeout(() => {
    if (useToast.getState().toast?.id === id) useToast.setState({ toast: undefined });
  }, SHOWN_MS);
}

/** There from the start, so that screen readers notice what comes into it. */
export function Toasts() {
  const toast = useToast((state) => state.toast);
  return (
    <div className={css.place} role="status" aria-live="polite">
      {toast && (
        <p key={toast.id} className={css.toast}>
          {toast.text}
        </p>
      )}
    </div>
  );
}
