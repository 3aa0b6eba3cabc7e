import type { Key } from '#cli/screen/key';
import type { Form } from './form';

/** After the fields: the comment, and sending it all. */
export function commentRow({ steps }: Form): number {
  return steps.length;
}

export function sendRow({ steps }: Form): number {
  return steps.length + 1;
}

/** Enter on a line goes there to change it. */
export function pressReview(form: Form, key: Key, chord: string): Form | 'send' {
  const { row } = form;
  const last = sendRow(form);
  if (chord === 'return' || chord === 'enter') return row === last ? 'send' : open(form);
  if (chord === 'S-tab' || chord === 'left') return { ...form, at: form.steps.length - 1 };
  if (/^[1-9]$/.test(key.text)) return { ...form, row: Math.min(Number(key.text) - 1, last) };
  switch (key.text || chord) {
    case 'up':
    case 'k':
      return { ...form, row: row === 0 ? last : row - 1 };
    case 'down':
    case 'j':
    case 'tab':
      return { ...form, row: row === last ? 0 : row + 1 };
    case 'home':
    case 'pageup':
      return { ...form, row: 0 };
    case 'end':
    case 'pagedown':
      return { ...form, row: last };
    default:
      return form;
  }
}

function open(form: Form): Form {
  return form.row === commentRow(form) ? { ...form, over: { kind: 'comment' } } : { ...form, at: form.row };
}
