import colors from 'picocolors';
import type { ConversationStatus } from '#contract/conversation';

/** Text styles. Color never carries information that the text does not. */
export interface TextStyle {
  isColored: boolean;
  bold(text: string): string;
  dim(text: string): string;
  italic(text: string): string;
  /** Something the user can act on, or the current position. */
  accent(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
  code(text: string): string;
  /** The cursor drawn by the form. */
  inverse(text: string): string;
}

export function createTextStyle(isColored: boolean): TextStyle {
  const { bold, dim, italic, cyan, green, yellow, red, magenta } = colors.createColors(isColored);
  return {
    isColored,
    bold,
    dim,
    italic,
    accent: cyan,
    good: green,
    warn: yellow,
    bad: red,
    code: magenta,
    // Not a color: without it, the cursor would be invisible.
    inverse: colors.createColors(true).inverse,
  };
}

const STATUS_COLORS: Record<ConversationStatus, 'warn' | 'accent' | 'good' | 'bad' | 'dim'> = {
  waiting_for_input: 'warn',
  running: 'accent',
  completed: 'good',
  failed: 'bad',
  cancelled: 'dim',
};

export function statusColor(status: ConversationStatus, style: TextStyle): (text: string) => string {
  return style[STATUS_COLORS[status]];
}
