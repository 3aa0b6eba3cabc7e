import type { RefObject } from 'react';
import { type ShortcutHandlers, useShortcuts } from '../lib/shortcuts';

const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

/** Keyboard shortcuts for the open question within `container`. */
export function useAnswerShortcuts(container: RefObject<HTMLElement | null>): void {
  const activeForm = () => findActiveForm(container.current);
  const digits = Object.fromEntries(DIGITS.map((digit) => [digit, () => chooseOption(activeForm(), digit)]));
  // Only focuses the answer: an extra Enter must not answer a question that nobody has read.
  const focusAnswer = (event: KeyboardEvent) => {
    // On a control, the browser handles the key.
    if (isControl(event.target)) return;
    event.preventDefault();
    findFirstControl(activeForm())?.focus();
  };
  useShortcuts({
    ...digits,
    ' ': focusAnswer,
    Enter: focusAnswer,
    c: (event) => {
      const summary = activeForm()?.querySelector<HTMLElement>('[data-comment]');
      if (!summary) return;
      event.preventDefault();
      const details = summary.closest('details');
      if (!details?.open) summary.click();
      details?.querySelector('textarea')?.focus();
    },
    d: () => activeForm()?.querySelector<HTMLElement>('[data-decline]')?.click(),
  } satisfies ShortcutHandlers);
}

/** Returns the form of the question that has focus, else the first one in view. */
function findActiveForm(container: HTMLElement | null): HTMLFormElement | undefined {
  const forms = [...(container?.querySelectorAll<HTMLFormElement>('[data-question] form') ?? [])];
  return forms.find((form) => form.contains(document.activeElement)) ?? forms.find(isInView);
}

function isInView(form: HTMLFormElement): boolean {
  const { top, bottom } = form.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('a, button, input, summary, select') !== null;
}

/**
 * Returns the control that Tab would focus. In a radio group with a selection, that is the selected option, so that the
 * next key press does not change it.
 */
function findFirstControl(form: HTMLFormElement | undefined): HTMLElement | null | undefined {
  const field = form?.querySelector('[data-field]');
  return field?.querySelector<HTMLElement>('input:checked') ?? form?.querySelector('input, textarea, select');
}

/** Chooses an option in the focused field, else in the first field. */
function chooseOption(form: HTMLFormElement | undefined, digit: string): void {
  const fields = [...(form?.querySelectorAll<HTMLElement>('[data-field]') ?? [])].filter((field) =>
    field.querySelector('[data-number]'),
  );
  const field = fields.find((candidate) => candidate.contains(document.activeElement)) ?? fields[0];
  const control = field?.querySelector<HTMLInputElement>(`[data-number="${digit}"]`);
  control?.focus();
  control?.click();
}
