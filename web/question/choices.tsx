import { useId } from 'react';
import type { Option } from '#contract/question';
import { pick, pickOther } from '#core/filling';
import { classes } from '../design/classes';
import css from './choices.module.css';
import type { ControlProps } from './field';
import { KeyHint } from './key-hint';
import { Other } from './other';

interface Props extends ControlProps {
  options: readonly Option[];
  isMany: boolean;
}

/** Up to that many characters fit beside each other. */
const SHORT = 24;

/** The browser's own radios or checkboxes, made large. The keys 1 to 9 choose them: see inbox/keys. */
export function Choices(props: Props) {
  const { field, filling, options, isMany, labelledBy, describedBy, fault, onChange } = props;
  const name = useId();
  const isShort = options.every(({ label, description }) => !description && label.length <= SHORT);
  const type = isMany ? 'checkbox' : 'radio';
  return (
    <fieldset
      role={isMany ? 'group' : 'radiogroup'}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      aria-invalid={fault && !isMany ? true : undefined}
      className={classes(css.choices, isShort && css.side, isShort && !isMany && css.buttons)}
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
          onPick={() => onChange(pick(filling, option.label, isMany))}
        />
      ))}
      {field.allowOther && (
        <Other
          type={type}
          name={name}
          number={options.length + 1}
          filling={filling}
          onPick={() => onChange(pickOther(filling, isMany))}
          onWrite={(other) =>
            onChange({ ...filling, other, isOther: true, picked: isMany ? filling.picked : [] })
          }
        />
      )}
    </fieldset>
  );
}

function isDefault(value: unknown, label: string): boolean {
  return value === label || (Array.isArray(value) && value.includes(label));
}

interface ChoiceProps {
  option: Option;
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
