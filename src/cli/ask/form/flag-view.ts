import { safeLine } from '#cli/text/safe';
import { clip, widthOf } from '#cli/text/wrap';
import type { Flag } from './step';
import { type Area, ELSEWHERE, HERE } from './view';

const GAP = '   ';

/** Side by side, or below each other where that is too wide. */
export function flagLines(
  { choices, at, field }: Flag,
  { width, room, style }: Area,
  isGrave: boolean,
): string[] {
  const fallback =
    typeof field.default === 'boolean' ? (field.default ? 0 : 1) : choices.indexOf(`${field.default}`);
  const plain = choices.map((choice, index) => {
    const mark = index === fallback ? ' (default)' : '';
    return `${index === at ? HERE : ELSEWHERE}${safeLine(choice)}${mark}`;
  });
  const paint = (text: string, index: number) => {
    if (index !== at) return text;
    return isGrave && index === 0 ? style.bad(text) : style.accent(text);
  };
  const line = plain.join(GAP);
  if (widthOf(line) <= width) return [plain.map(paint).join(GAP)];
  return plain.map((text, index) => paint(clip(text, width), index)).slice(0, Math.max(1, room));
}
