import { safe } from './safe';
import type { Style } from './style';
import { wrap } from './wrap';

/** Markdown as lines for a screen of that width. */
export function markdownLines(text: string, width: number, _style: Style): string[] {
  return wrap(safe(text), width);
}
