import { useId, useRef } from 'react';
import type { QuestionOption } from '#contract/question';
import { type FieldInput, toggleOption, toggleOther } from '#presentation/form-state';
import { joinClassNames } from '../../lib/class-names';
import css from './choices.module.css';
import { OtherTextInput } from './inputs';
import type { FieldControlProps } from './question-field';

interface ChoiceGroupProps extends FieldControlProps {
  options: readonly QuestionOption[];
  isMultiple: boolean;
}

/** Labels up to this length are laid out in a row. */
const MAX_INLINE_LABEL = 24;

/** Native radios or checkboxes, enlarged. The keys 1 to 9 select them: see use-answer-shortcuts.ts. */
export function ChoiceGroup(props: ChoiceGroupProps) {
  const { field, value, options, isMultiple, labelledBy, describedBy, error, onChange } = props;
  const name = useId();
  const isShort = options.every(({ label, description }) => !description && label.length <= MAX_INLINE_LABEL);
  const type = isMultiple ? 'checkbox' : 'radio';
  return (
    <fieldset
      role={isMultiple ? 'group' : 'radiogroup'}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      aria-invalid={error && !isMultiple ? true : undefined}
      className={joinClassNames(css.choices, isShort && css.inline, isShort && !isMultiple && css.buttons)}
    >
      {options.map((option, index) => (
        <Choice
          key={option.label}
          option={option}
          type={type}
          name={name}
          number={index + 1}
          isDefault={isDefault(field.default, option.label)}
          isPicked={value.picked.includes(option.label)}
          isInvalid={error !== undefined && isMultiple}
          onPick={() => onChange(toggleOption(value, option.label, isMultiple))}
        />
      ))}
      {field.allowOther && (
        <OtherOption
          type={type}
          name={name}
          number={options.length + 1}
          value={value}
          onPick={() => onChange(toggleOther(value, isMultiple))}
          onTextChange={(other) => onChange({ ...value, other, isOther: true, picked: isMultiple ? value.picked : [] })}
        />
      )}
    </fieldset>
  );
}

function isDefault(value: unknown, label: string): boolean {
  return value === label || (Array.isArray(value) && value.includes(label));
}

interface ChoiceProps {
  option: QuestionOption;
  type: 'radio' | 'checkbox';
  name: string;
  number: number;
  isDefault: boolean;
  isPicked: boolean;
  /** For checkboxes only: with radios, the group is marked as invalid. */
  isInvalid: boolean;
  onPick: () => void;
}

function Choice({ option, type, name, number, isDefault, isPicked, isInvalid, onPick }: ChoiceProps) {
  const id = useId();
  return (
    <label className={css.choice}>
      <input
        type={type}
        name={name}
        checked={isPicked}
        onChange={onPick}
        data-number={number}
        aria-describedby={option.description ? id : undefined}
        aria-invalid={isInvalid || undefined}
      />
      <span className={css.text}>
        <span className={css.name} dir="auto">
          {option.label}
        </span>
        {option.description && (
          <span id={id} className={css.description} dir="auto">
            {option.description}
          </span>
        )}
      </span>
      {isDefault && <span className={css.default}>Default</span>}
      <KeyHint number={number} />
    </label>
  );
}

interface OtherOptionProps {
  type: 'radio' | 'checkbox';
  name: string;
  number: number;
  value: FieldInput;
  onPick: () => void;
  onTextChange: (text: string) => void;
}

/** A free-text answer beside the options. Typing selects it. */
function OtherOption({ type, name, number, value, onPick, onTextChange }: OtherOptionProps) {
  const text = useRef<HTMLInputElement>(null);
  return (
    <div className={joinClassNames(css.choice, css.other)}>
      <label className={css.otherLabel}>
        <input
          type={type}
          name={name}
          checked={value.isOther}
          data-number={number}
          onChange={() => {
            onPick();
            if (!value.isOther) text.current?.focus();
          }}
        />
        <span className={css.name}>Other</span>
      </label>
      <OtherTextInput ref={text} value={value.other} onTextChange={onTextChange} />
      <KeyHint number={number} />
    </div>
  );
}

const MAX_DIGIT_KEY = 9;

/** Shows the key that selects the option. */
function KeyHint({ number }: { number: number }) {
  if (number > MAX_DIGIT_KEY) return null;
  return (
    <span className={css.number} aria-hidden="true">
      {number}
    </span>
  );
}
