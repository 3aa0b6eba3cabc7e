import type { Key } from '#cli/screen/key';
import { goTo, look, placeOf, type Shelf, shownOn } from './shelf';

/** What a key does: it moves about, opens what is marked, or leaves. */
export type Pressed = { kind: 'stay'; shelf: Shelf } | { kind: 'open' } | { kind: 'leave' };

const PAGE = 5;
const LAST = Number.POSITIVE_INFINITY;

/** As in a question: letters that mean something do so until somebody types to filter. */
export function pressInbox(shelf: Shelf, key: Key): Pressed {
  const { name, text, ctrl, meta } = key;
  if (ctrl && name === 'c') return { kind: 'leave' };
  if (name === 'return' || name === 'enter')
    return shownOn(shelf).length > 0 ? { kind: 'open' } : { kind: 'stay', shelf };
  if (name === 'escape')
    return shelf.filter === undefined ? { kind: 'leave' } : { kind: 'stay', shelf: look(shelf, undefined) };
  const moved = moveBy(shelf, name);
  if (moved) return { kind: 'stay', shelf: moved };
  if (ctrl || meta) return { kind: 'stay', shelf };
  return letter(shelf, name === 'paste' ? text.replaceAll('\n', ' ') : text, name);
}

function moveBy(shelf: Shelf, name: string): Shelf | undefined {
  const place = placeOf(shelf);
  const places: Record<string, number> = {
    up: place - 1,
    down: place + 1,
    pageup: place - PAGE,
    pagedown: place + PAGE,
    home: 0,
    end: LAST,
  };
  const wanted = places[name];
  return wanted === undefined ? undefined : goTo(shelf, wanted);
}

function letter(shelf: Shelf, text: string, name: string): Pressed {
  const { filter } = shelf;
  if (name === 'backspace') return { kind: 'stay', shelf: look(shelf, shortened(filter)) };
  if (filter !== undefined) return { kind: 'stay', shelf: text === '' ? shelf : look(shelf, filter + text) };
  if (text === 'q') return { kind: 'leave' };
  if (text === 'j' || text === 'k')
    return { kind: 'stay', shelf: goTo(shelf, placeOf(shelf) + (text === 'j' ? 1 : -1)) };
  if (/^[1-9]$/.test(text)) return { kind: 'stay', shelf: goTo(shelf, Number(text) - 1) };
  if (text === '/') return { kind: 'stay', shelf: look(shelf, '') };
  return { kind: 'stay', shelf: text.trim() === '' ? shelf : look(shelf, text) };
}

function shortened(filter: string | undefined): string | undefined {
  const rest = [...(filter ?? '')].slice(0, -1).join('');
  return rest === '' ? undefined : rest;
}
