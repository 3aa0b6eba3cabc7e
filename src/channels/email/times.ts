import type { Question } from '#contract/question';
import { afterwards, moment, span } from '#core/words';

/** Until when, in words, and what happens then. */
export function deadlineOf({ expiresAt, onTimeout }: Question, now: number): string {
  if (!expiresAt) return 'It waits until somebody answers.';
  const left = Date.parse(expiresAt) - now;
  const soon = left > 0 ? `, about ${span(left)} after this was sent` : '';
  return `Please answer by ${moment(expiresAt)}${soon}. ${afterwards({ onTimeout })}`.trim();
}
