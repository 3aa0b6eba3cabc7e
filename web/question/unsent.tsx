import type { Field } from '#contract/question';
import { type Filling, isFilled } from '#core/filling';
import { Button } from '../design/button';
import { say } from '../design/toast';
import css from './settled.module.css';
import type { Draft } from './use-form';

interface Props {
  draft: Draft;
  fields: readonly Field[];
  onDismiss: () => void;
}

export function Unsent({ draft, fields, onDismiss }: Props) {
  const lines = linesOf(draft, fields);
  if (lines.length === 0) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(lines.join('\n'));
    say('Copied.');
  };
  return (
    <section className={css.unsent} aria-label="What you had typed">
      <p className={css.unsentTitle}>What you had typed was not sent. It is kept here:</p>
      <ul className={css.lines}>
        {lines.map((line) => (
          <li key={line} dir="auto">
            {line}
          </li>
        ))}
      </ul>
      <div className={css.buttons}>
        {/* Only where a page is secure. */}
        {navigator.clipboard && <Button onClick={copy}>Copy</Button>}
        <Button look="quiet" onClick={onDismiss}>
          Discard
        </Button>
      </div>
    </section>
  );
}

/** What is in a form, a line for each field. */
export function linesOf({ form, comment }: Draft, fields: readonly Field[]): string[] {
  const typed = fields.flatMap((field) => {
    const filling = form[field.key];
    return filling && isFilled(field, filling) ? [`${field.header}: ${textOf(filling)}`] : [];
  });
  return comment.trim() ? [...typed, `Comment: ${comment}`] : typed;
}

function textOf({ picked, isOther, other, text }: Filling): string {
  const choices = [...picked, ...(isOther ? [other] : [])];
  return choices.length > 0 ? choices.join(', ') : text;
}
