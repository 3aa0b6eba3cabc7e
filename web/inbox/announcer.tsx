import type { Question } from '#contract/question';
import { keyOf, type QuestionKey } from '#core/question-key';
import { headline, lineageText } from '#core/words';

/** For ears: how many wait, and at which one is. */
export function Announcer({ shown, at }: { shown: readonly Question[]; at: QuestionKey | undefined }) {
  const place = shown.findIndex((question) => keyOf(question) === at);
  const question = shown[place];
  const count =
    shown.length === 1 ? '1 question waits' : `${shown.length.toLocaleString('en')} questions wait`;
  return (
    <div className="unseen" role="status">
      {shown.length > 0 && count}
      {question && `. Question ${place + 1}, from ${lineageText(question.origin)}: ${headline(question)}`}
    </div>
  );
}
