import { useId, useRef } from 'react';
import type { QuestionOption } from '#contract/question';
import { type FieldInput, toggleOption, toggleOther } from '#presentation/form-state';
import { joinClassNames } from '../../lib/class-names';
import css from './choices.module.css';
import { OtherTextInput } from './inputs';
import type { FieldControlProps } from './question-field';

interface ChoiceGroupProps extends FieldControlProps {
  options: readonly QuestionOption[];
  isMany: boolean;
}

/** Up to that many characters fit beside each other. */
const MAX_INLINE_LABEL = 24;

/** The browser's own radios or checkboxes, made large. The keys 1 to 9 choose them: see inbox/keys. */
export function ChoiceGroup(props: ChoiceGroupProps) {
  const { field, filling, options, isMany, labelledBy, describedBy, fault, onChange } = props;
  const name = useId();
  const isShort = options.every(({ label, description }) => !description && label.length <= MAX_INLINE_LABEL);
  const type = isMany ? 'checkbox' : 'radio';
  return (
    <fieldset
      role={isMany ? 'group' : 'radiogroup'}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      aria-invalid={fault && !isMany ? true : undefined}
      className={joinClassNames(css.choices, isShort && css.side, isShort && !isMany && css.buttons)}
    >
      {options.map((option, index) => (
        <Choice
          key={option.label}
          option={option}
          type={type}
          name={name}
          number={index + 1}
          isDefault={isDefault(field.default, option.label)}
          isPicked={filling.picked.includes(option.label)}
          isWrong={fault !== undefined && isMany}
          onPick={() => onChange(toggleOption(filling, option.label, isMany))}
        />
      ))}
      {field.allowOther && (
        <OtherOption
          type={type}
          name={name}
          number={options.length + 1}
          filling={filling}
          onPick={() => onChange(toggleOther(filling, isMany))}
          onWrite={(other) => onChange({ ...filling, other, isOther: true, picked: isMany ? filling.picked : [] })}
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
  /** Of radios their group is, of checkboxes each. */
  isWrong: boolean;
  onPick: () => void;
}

function Choice({ option, type, name, number, isDefault, isPicked, isWrong, onPick }: ChoiceProps) {
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
        aria-invalid={isWrong || undefined}
      />
      <span className={css.words}>
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
  filling: FieldInput;
  onPick: () => void;
  onWrite: (text: string) => void;
}

/** An answer of one's own beside the options. To write it is to choose it. */
function OtherOption({ type, name, number, filling, onPick, onWrite }: OtherOptionProps) {
  const text = useRef<HTMLInputElement>(null);
  return (
    <div className={joinClassNames(css.choice, css.other)}>
      <label className={css.pick}>
        <input
          type={type}
          name={name}
          checked={filling.isOther}
          data-number={number}
          onChange={() => {
            onPick();
            if (!filling.isOther) text.current?.focus();
          }}
        />
        <span className={css.name}>Other</span>
      </label>
      <OtherTextInput ref={text} value={filling.other} onWrite={onWrite} />
      <KeyHint number={number} />
    </div>
  );
}

const MAX_DIGIT_KEY = 9;

/** The key that chooses it. */
function KeyHint({ number }: { number: number }) {
  if (number > MAX_DIGIT_KEY) return null;
  return (
    <span className={css.number} aria-hidden="true">
      {number}
    </span>
  );
}
