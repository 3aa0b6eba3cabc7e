import type { Option } from '#contract/question';
import { pick, pickOther } from '#core/filling';
import type { ControlProps } from './field';
import css from './input.module.css';
import { OtherText } from './other-text';

/** Not a label: no option can have this for one. */
const OTHER = '\u0000other';

/** Many options of a word or two: a list to open, in which one may type to find. */
export function Menu(props: ControlProps & { options: readonly Option[] }) {
  const { field, filling, options, labelledBy, describedBy, fault, onChange } = props;
  const value = filling.isOther ? OTHER : (filling.picked[0] ?? '');
  return (
    <>
      <select
        className={css.input}
        aria-labelledby={labelledBy}
        aria-describedby={describedBy}
        aria-invalid={fault ? true : undefined}
        value={value}
        onChange={({ target }) =>
          onChange(target.value === OTHER ? pickOther(filling, false) : pick(filling, target.value, false))
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
        {field.allowOther && <option value={OTHER}>Other …</option>}
      </select>
      {filling.isOther && (
        <OtherText value={filling.other} onWrite={(other) => onChange({ ...filling, other })} />
      )}
    </>
  );
}
