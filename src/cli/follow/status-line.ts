import type { Style } from '#cli/text/style';
import { wrap } from '#cli/text/wrap';
import { span } from '#core/times';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

export interface Doing {
  /** `Thinking`, `Writing`, or what it waits for. */
  what: string;
  /** What one can do meanwhile. */
  keys?: string[];
  isLost: boolean;
  /** Nothing moves while it waits for a person. */
  since: number | undefined;
}

/** What goes on now. */
export function statusLines(
  { what, keys = [], isLost, since }: Doing,
  now: number,
  width: number,
  style: Style,
): string[] {
  const mark =
    since === undefined
      ? style.warn('?')
      : style.accent(FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? '');
  const said = isLost ? style.warn('Connection lost, trying again …') : what;
  const more = isLost || since === undefined ? [] : [span(now - since)];
  const rest = [...more, ...keys].map((text) => style.dim(` · ${text}`));
  return wrap(said + rest.join(''), width, { first: `${mark} ` });
}
