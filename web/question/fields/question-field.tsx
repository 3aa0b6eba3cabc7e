import { useId } from 'react';
import type { QuestionField } from '#contract/question';
import { chooseControl, describeBrowserRequirement, type FieldControlSpec } from '#presentation/field-control';
import type { FieldInput } from '#presentation/form-state';
import { ChoiceGroup } from './choices';
import { SelectControl, TextControl } from './inputs';
import css from './question-field.module.css';

export interface QuestionFieldProps {
  field: QuestionField;
  value: FieldInput;
  error: string | undefined;
  onChange: (value: FieldInput) => void;
}

export interface FieldControlProps extends QuestionFieldProps {
  /** Ids of the elements that describe the control: its requirement and its error. */
  describedBy: string | undefined;
  labelledBy: string;
}

/** One field of a question: its text, the matching control, its requirement and its error. */
export function QuestionFieldInput(props: QuestionFieldProps & { isOnlyField: boolean }) {
  const { field, error, isOnlyField } = props;
  const id = useId();
  const control = chooseControl(field);
  const requirement = describeBrowserRequirement(field);
  const describedBy =
    [requirement && `${id}-requirement`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  return (
    <div className={css.field} data-field={field.key} data-invalid={error ? true : undefined}>
      <div className={css.label}>
        {!isOnlyField && <span className={css.header}>{field.header}</span>}
        <h3 id={`${id}-label`} className={css.question} dir="auto">
          {field.question}
        </h3>
      </div>
      <ControlForField {...props} control={control} labelledBy={`${id}-label`} describedBy={describedBy} />
      {requirement && (
        <p id={`${id}-requirement`} className={css.limits}>
          {requirement}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className={css.error} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

function ControlForField({ control, ...props }: FieldControlProps & { control: FieldControlSpec }) {
  switch (control.kind) {
    case 'one':
      return control.isMenu ? (
        <SelectControl {...props} options={control.options} />
      ) : (
        <ChoiceGroup {...props} options={control.options} isMultiple={false} />
      );
    case 'many':
      return <ChoiceGroup {...props} options={control.options} isMultiple />;
    case 'flag':
      return <ChoiceGroup {...props} options={control.options} isMultiple={false} />;
    default:
      return <TextControl {...props} control={control} />;
  }
}
