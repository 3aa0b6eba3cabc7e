import type { Control } from '#core/control';
import { asLocal } from '#core/filling';
import { classes } from '../design/classes';
import type { ControlProps } from './field';
import css from './input.module.css';

type Written = Extract<Control, { kind: 'number' | 'line' | 'text' }>;

/** Whatever is typed. Limits are said beside it and never cut off what somebody pastes. */
export function Writing({ control, ...props }: ControlProps & { control: Written }) {
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
        <textarea {...common} className={classes(css.input, css.area)} rows={3} dir="auto" />
        {control.most !== undefined && <Count text={filling.text} most={control.most} />}
      </>
    );
  if (control.kind === 'number')
    return (
      <input
        {...common}
        type="text"
        inputMode={control.isWhole ? 'numeric' : 'decimal'}
        autoComplete="off"
        className={classes(css.input, css.narrow)}
      />
    );
  const { type } = control;
  return (
    <input
      {...common}
      type={type}
      value={type === 'datetime-local' ? asLocal(filling.text) : filling.text}
      autoComplete={type === 'email' ? 'email' : 'off'}
      className={classes(css.input, (type === 'date' || type === 'datetime-local') && css.narrow)}
      dir="auto"
    />
  );
}

/** Said to those who see it: to hear each number while typing would be a torment. */
function Count({ text, most }: { text: string; most: number }) {
  return (
    <p className={css.count} aria-hidden="true">
      {[...text].length.toLocaleString('en')} of {most.toLocaleString('en')}
    </p>
  );
}
