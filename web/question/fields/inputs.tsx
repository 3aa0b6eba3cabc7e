import type { Ref } from 'react';
import type { QuestionOption } from '#contract/question';
import type { FieldControlSpec } from '#presentation/field-control';
import { toDateTimeInput, toggleOption, toggleOther } from '#presentation/form-state';
import { joinClassNames } from '../../lib/class-names';
import css from '../../ui/styles/input.module.css';
import type { FieldControlProps } from './question-field';

type TypedControl = Extract<FieldControlSpec, { kind: 'number' | 'line' | 'text' }>;

/** A typed value. Limits are shown beside it and never cut off pasted text. */
export function TextControl({ control, ...props }: FieldControlProps & { control: TypedControl }) {
  const { field, value, labelledBy, describedBy, error, onChange } = props;
  const sharedProps = {
    'aria-labelledby': labelledBy,
    'aria-describedby': describedBy,
    'aria-invalid': error ? true : undefined,
    'aria-required': field.required || undefined,
    value: value.text,
    onChange: (event: { target: { value: string } }) => onChange({ ...value, text: event.target.value }),
  } as const;
  if (control.kind === 'text')
    return (
      <>
        <textarea {...sharedProps} className={joinClassNames(css.input, css.area)} rows={3} dir="auto" />
        {control.maxLength !== undefined && <CharacterCount text={value.text} max={control.maxLength} />}
      </>
    );
  if (control.kind === 'number')
    return (
      <input
        {...sharedProps}
        type="text"
        inputMode={control.inputMode}
        autoComplete="off"
        className={joinClassNames(css.input, css.narrow)}
      />
    );
  const { type } = control;
  return (
    <input
      {...sharedProps}
      type={type}
      value={type === 'datetime-local' ? toDateTimeInput(value.text) : value.text}
      autoComplete={type === 'email' ? 'email' : 'off'}
      className={joinClassNames(css.input, (type === 'date' || type === 'datetime-local') && css.narrow)}
      dir="auto"
    />
  );
}

/** Hidden from screen readers, which would read out every number while typing. */
function CharacterCount({ text, max }: { text: string; max: number }) {
  return (
    <p className={css.count} aria-hidden="true">
      {[...text].length.toLocaleString('en')} of {max.toLocaleString('en')}
    </p>
  );
}

/** Cannot be the label of an option. */
const OTHER_VALUE = '\u0000other';

/** A dropdown for many short options. */
export function SelectControl(props: FieldControlProps & { options: readonly QuestionOption[] }) {
  const { field, value, options, labelledBy, describedBy, error, onChange } = props;
  const selected = value.isOther ? OTHER_VALUE : (value.picked[0] ?? '');
  return (
    <>
      <select
        className={css.input}
        aria-labelledby={labelledBy}
        aria-describedby={describedBy}
        aria-invalid={error ? true : undefined}
        value={selected}
        onChange={({ target }) =>
          onChange(target.value === OTHER_VALUE ? toggleOther(value, false) : toggleOption(value, target.value, false))
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
        {field.allowOther && <option value={OTHER_VALUE}>Other…</option>}
      </select>
      {value.isOther && <OtherTextInput value={value.other} onTextChange={(other) => onChange({ ...value, other })} />}
    </>
  );
}

interface OtherTextInputProps {
  value: string;
  onTextChange: (text: string) => void;
  ref?: Ref<HTMLInputElement>;
}

/** A free-text answer. */
export function OtherTextInput({ value, onTextChange, ref }: OtherTextInputProps) {
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
      onChange={({ target }) => onTextChange(target.value)}
    />
  );
}
