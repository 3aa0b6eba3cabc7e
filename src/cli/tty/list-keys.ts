import { GRAPHEMES } from '#cli/render/text';
import { joinLines, type KeyPress, keyChord } from './keyboard';

/** A list on the screen and its current row. */
export interface ListPosition {
  rowIndex: number;
  rowCount: number;
  /** Rows that PgUp and PgDn move by. */
  pageRows: number;
  /** The typed filter; undefined if there is none. */
  filter?: string | undefined;
}

/** Letters that move, unless the user types a filter. */
const LETTER_MOVES: Record<string, string> = { j: 'down', k: 'up' };

/** Returns the row that a key moves to; undefined for other keys. Moves beyond one end continue at the other. */
export function moveInList(key: KeyPress, { rowIndex, rowCount, pageRows, filter }: ListPosition): number | undefined {
  const last = Math.max(0, rowCount - 1);
  const hasShortcuts = filter === undefined && key.name !== 'paste';
  if (hasShortcuts && /^[1-9]$/.test(key.text)) return Number(key.text) <= rowCount ? Number(key.text) - 1 : rowIndex;
  const chord = keyChord(key);
  switch (hasShortcuts ? (LETTER_MOVES[key.text] ?? chord) : chord) {
    case 'up':
    case 'C-p':
      return rowIndex === 0 ? last : rowIndex - 1;
    case 'down':
    case 'C-n':
      return rowIndex >= last ? 0 : rowIndex + 1;
    case 'home':
      return 0;
    case 'end':
      return last;
    case 'pageup':
      return Math.max(0, rowIndex - pageRows);
    case 'pagedown':
      return Math.min(last, rowIndex + pageRows);
    default:
      return undefined;
  }
}

/** Returns the filter after a key, where undefined is none. Returns false if the key does not change it. */
export function editListFilter(key: KeyPress, filter: string | undefined): string | undefined | false {
  const chord = keyChord(key);
  if (filter === undefined) {
    if (key.text.trim() === '') return false;
    return key.text === '/' ? '' : joinLines(key.text);
  }
  if (chord === 'escape' || chord === 'C-u') return undefined;
  if (chord === 'backspace' || chord === 'C-h') return withoutLastCharacter(filter) || undefined;
  return key.text === '' ? false : filter + joinLines(key.text);
}

function withoutLastCharacter(text: string): string {
  return [...GRAPHEMES.segment(text)]
    .slice(0, -1)
    .map(({ segment }) => segment)
    .join('');
}
