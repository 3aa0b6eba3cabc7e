import { useId } from 'react';
import type { Field } from '#contract/question';
import { type Control, controlOf } from '#core/control';
import { type Filling, FLAG } from '#core/filling';
import { Choices } from './choices';
import css from './field.module.css';
import { Menu } from './menu';
import { Writing } from './writing';

export interface FieldProps {
  field: Field;
  filling: Filling;
  fault: string | undefined;
  onChange: (filling: Filling) => void;
}

export interface ControlProps extends FieldProps {
  /** The ids of what describes the control: its limits, and what is wrong with it. */
  describedBy: string | undefined;
  labelledBy: string;
}

/** One field of a question: its text, the control that fits it, its limits and what is wrong with what was put in. */
export function FieldControl(props: FieldProps & { isOnly: boolean }) {
  const { field, fault, isOnly } = props;
  const id = useId();
  const control = controlOf(field);
  const limits = limitsOf(control);
  const describedBy =
    [limits && `${id}-limits`, fault && `${id}-fault`].filter(Boolean).join(' ') || undefined;
  return (
    <div className={css.field} data-field={field.key} data-invalid={fault ? true : undefined}>
      <div className={css.label}>
        {!isOnly && <span className={css.header}>{field.header}</span>}
        <h3 id={`${id}-label`} className={css.question} dir="auto">
          {field.question}
        </h3>
      </div>
      <ControlOf {...props} control={control} labelledBy={`${id}-label`} describedBy={describedBy} />
      {limits && (
        <p id={`${id}-limits`} className={css.limits}>
          {limits}
        </p>
      )}
      {fault && (
        <p id={`${id}-fault`} className={css.fault} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

function limitsOf(control: Control): string | undefined {
  if ('limits' in control && control.limits) return control.limits;
  if (control.kind === 'many') return 'Choose any number';
  return control.kind === 'number' && control.isWhole ? 'A whole number' : undefined;
}

const YES_OR_NO = [{ label: FLAG.yes }, { label: FLAG.no }];

function ControlOf({ control, ...props }: ControlProps & { control: Control }) {
  switch (control.kind) {
    case 'one':
      return control.isMenu ? (
        <Menu {...props} options={control.options} />
      ) : (
        <Choices {...props} options={control.options} isMany={false} />
      );
    case 'many':
      return <Choices {...props} options={control.options} isMany />;
    case 'flag':
      return <Choices {...props} options={YES_OR_NO} isMany={false} />;
    default:
      return <Writing {...props} control={control} />;
  }
}
