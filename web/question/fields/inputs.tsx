import type { Ref } from 'react';
import type { QuestionOption } from '#contract/question';
import type { FieldControlSpec } from '#presentation/field-control';
import { toggleOption, toggleOther, toLocalDateTime } from '#presentation/form-state';
import { joinClassNames } from '../../lib/class-names';
import css from '../../ui/styles/input.module.css';
import type { FieldControlProps } from './question-field';

type TypedControl = Extract<FieldControlSpec, { kind: 'number' | 'line' | 'text' }>;

/** Whatever is typed. Limits are said beside it and never cut off what somebody pastes. */
export function TextControl({ control, ...props }: FieldControlProps & { control: TypedControl }) {
  const { field, filling, labelledBy, describedBy, fault, onChange } = props;
  const common = {
    'aria-labelledby': labelledBy,
    'aria-describedby': describedBy,
    'aria-invalid': fault ? true : undefined,
    'aria-required': field.required || undefined,
    value: filling.text,
    onChange: (event: { target: { value: string } }) => onChange({ ...filling, text: event.target.value }),
  } as const;
  if (control.kind === 'text')
    return (
      <>
        <textarea {...common} className={joinClassNames(css.input, css.area)} rows={3} dir="auto" />
        {control.most !== undefined && <CharacterCount text={filling.text} most={control.most} />}
      </>
    );
  if (control.kind === 'number')
    return (
      <input
        {...common}
        type="text"
        inputMode={control.isWhole ? 'numeric' : 'decimal'}
        autoComplete="off"
        className={joinClassNames(css.input, css.narrow)}
      />
    );
  const { type } = control;
  return (
    <input
      {...common}
      type={type}
      value={type === 'datetime-local' ? toLocalDateTime(filling.text) : filling.text}
      autoComplete={type === 'email' ? 'email' : 'off'}
      className={joinClassNames(css.input, (type === 'date' || type === 'datetime-local') && css.narrow)}
      dir="auto"
    />
  );
}

/** Said to those who see it: to hear each number while typing would be a torment. */
function CharacterCount({ text, most }: { text: string; most: number }) {
  return (
    <p className={css.count} aria-hidden="true">
      {[...text].length.toLocaleString('en')} of {most.toLocaleString('en')}
    </p>
  );
}

/** Not a label: no option can have this for one. */
const OTHER_VALUE = '\u0000other';

/** Many options of a word or two: a list to open, in which one may type to find. */
export function SelectControl(props: FieldControlProps & { options: readonly QuestionOption[] }) {
  const { field, filling, options, labelledBy, describedBy, fault, onChange } = props;
  const value = filling.isOther ? OTHER_VALUE : (filling.picked[0] ?? '');
  return (
    <>
      <select
        className={css.input}
        aria-labelledby={labelledBy}
        aria-describedby={describedBy}
        aria-invalid={fault ? true : undefined}
        value={value}
        onChange={({ target }) =>
          onChange(
            target.value === OTHER_VALUE ? toggleOther(filling, false) : toggleOption(filling, target.value, false),
          )
        }
      >
        <option value="" disabled>
          Choose one
        </option>
        {options.map(({ label }) => (
          <option key={label} value={label}>
            {label}
          </option>
        ))}
        {field.allowOther && <option value={OTHER_VALUE}>Other …</option>}
      </select>
      {filling.isOther && <OtherTextInput value={filling.other} onWrite={(other) => onChange({ ...filling, other })} />}
    </>
  );
}

interface OtherTextInputProps {
  value: string;
  onWrite: (text: string) => void;
  ref?: Ref<HTMLInputElement>;
}

/** An answer of one's own. */
export function OtherTextInput({ value, onWrite, ref }: OtherTextInputProps) {
  return (
    <input
      ref={ref}
      type="text"
      className={css.input}
      aria-label="Other: your own answer"
      placeholder="Your own answer"
      value={value}
      maxLength={4_000}
      dir="auto"
      onChange={({ target }) => onWrite(target.value)}
    />
  );
}
