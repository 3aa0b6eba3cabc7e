import { create } from 'zustand';
import css from './toast.module.css';

interface Toast {
  id: number;
  text: string;
}

const useToastState = create<{ toast: Toast | undefined }>(() => ({ toast: undefined }));
const VISIBLE_MS = 5_000;
let lastToastId = 0;

/** Shows a brief message and announces it to screen readers. Not for messages that must not be missed. */
export function showToast(text: string): void {
  lastToastId += 1;
  const id = lastToastId;
  useToastState.setState({ toast: { id, text } });
  setTimeout(() => {
    if (useToastState.getState().toast?.id === id) useToastState.setState({ toast: undefined });
  }, VISIBLE_MS);
}

/** Always rendered, so that screen readers announce its content. */
export function ToastRegion() {
  const toast = useToastState((state) => state.toast);
  return (
    <div className={css.region} role="status" aria-live="polite">
      {toast && (
        <p key={toast.id} className={css.toast}>
          {toast.text}
        </p>
      )}
    </div>
  );
}
