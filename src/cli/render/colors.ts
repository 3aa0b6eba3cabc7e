import colors from 'picocolors';
import type { ConversationStatus } from '#contract/conversation';

/** How things look. Colour never says what words do not. */
export interface TextStyle {
  isColored: boolean;
  bold(text: string): string;
  dim(text: string): string;
  italic(text: string): string;
  /** What can be acted on, and where one is. */
  accent(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
  code(text: string): string;
  /** A cursor of our own. */
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
    // Not a colour: without it nobody sees where they type.
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
