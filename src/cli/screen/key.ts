/** One key that was pressed, or a text that was pasted. */
export interface Key {
  /** As Node names it: `return`, `up`, `a`; `paste` for what was pasted. */
  name: string;
  /** What it writes, if anything. */
  text: string;
  ctrl: boolean;
  meta: boolean;
  shift: boolean;
}

/** What `keypress` of node:readline tells. */
export interface Pressed {
  name?: string;
  sequence?: string;
  ctrl?: boolean;
  meta?: boolean;
  shift?: boolean;
}

const CONTROL = /\p{Cc}/u;

export function keyOf(written: string | undefined, pressed: Pressed = {}): Key {
  const { name = '', ctrl = false, shift = false } = pressed;
  // Node takes an Esc by itself for one that is held.
  const meta = name !== 'escape' && Boolean(pressed.meta);
  const text = ctrl || meta || written === undefined || CONTROL.test(written) ? '' : written;
  return { name, text, ctrl, meta, shift };
}

/** Lines stay; what else would steer a terminal does not come along. */
export function pasted(text: string): Key {
  const kept = text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', '  ')
    .replace(/(?!\n)\p{Cc}/gu, '');
  return { name: 'paste', text: kept, ctrl: false, meta: false, shift: false };
}

/** The same key by its name alone, with `C-` and `M-` before it as they are held. */
export function chordOf({ name, ctrl, meta, shift }: Key): string {
  const isNamed = name.length > 1;
  return `${ctrl ? 'C-' : ''}${meta ? 'M-' : ''}${shift && isNamed ? 'S-' : ''}${name}`;
}
