import type { RefObject } from 'react';
import { type Shortcuts, useShortcuts } from '../shell/shortcuts';

const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

/** The keyboard presses what a mouse would, in the open question within `place`. */
export function useAnswerKeys(place: RefObject<HTMLElement | null>): void {
  const form = () => place.current?.querySelector('form') ?? undefined;
  const digits = Object.fromEntries(DIGITS.map((digit) => [digit, () => choose(form(), digit)]));
  const send = (event: KeyboardEvent) => {
    if (isControl(event.target)) return;
    event.preventDefault();
    form()?.requestSubmit();
  };
  useShortcuts({
    ...digits,
    Enter: send,
    ' ': (event) => {
      // On a control it is the browser's: it chooses.
      if (isControl(event.target)) return;
      event.preventDefault();
      firstIn(form())?.focus();
    },
    c: (event) => {
      const summary = form()?.querySelector<HTMLElement>('[data-comment]');
      const details = summary?.closest('details');
      if (!details) return;
      event.preventDefault();
      details.open = true;
      details.querySelector('textarea')?.focus();
    },
    d: () => form()?.querySelector<HTMLElement>('[data-decline]')?.click(),
  } satisfies Shortcuts);
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('a, button, input, summary, select') !== null;
}

/** Where Tab would lead: of a choice that is made to what is chosen, lest the next press changes it. */
function firstIn(form: HTMLFormElement | undefined): HTMLElement | null | undefined {
  const field = form?.querySelector('[data-field]');
  return field?.querySelector<HTMLElement>('input:checked') ?? form?.querySelector('input, textarea, select');
}

/** In the field one is in, else in the first. */
function choose(form: HTMLFormElement | undefined, digit: string): void {
  const fields = [...(form?.querySelectorAll<HTMLElement>('[data-field]') ?? [])].filter((field) =>
    field.querySelector('[data-number]'),
  );
  const field = fields.find((one) => one.contains(document.activeElement)) ?? fields[0];
  const control = field?.querySelector<HTMLInputElement>(`[data-number="${digit}"]`);
  control?.focus();
  control?.click();
}
