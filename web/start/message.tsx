import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import { classes } from '../design/classes';
import input from '../question/input.module.css';
import css from './start-form.module.css';

interface Props {
  value: string;
  examples: string[];
  fault: string | undefined;
  onChange: (text: string) => void;
  onSend: () => void;
}

export function Message({ value, examples, fault, onChange, onSend }: Props) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => focusSoon(box.current), []);
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onSend();
  };
  return (
    <div>
      <label className={css.label} htmlFor={id}>
        Message
      </label>
      <textarea
        ref={box}
        id={id}
        className={classes(input.input, input.area, css.message)}
        placeholder="What is wanted, and whatever the agent should know for it"
        value={value}
        dir="auto"
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault ? `${id}-fault` : undefined}
        aria-required="true"
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={press}
      />
      {fault && (
        <p id={`${id}-fault`} className={css.fault} role="alert">
          {fault}
        </p>
      )}
      {value === '' && examples.length > 0 && (
        <Examples
          examples={examples}
          onPick={(example) => {
            onChange(example);
            box.current?.focus();
          }}
        />
      )}
    </div>
  );
}

/** Not at once: the key that led here would be typed into it. Nor on a phone, where half the screen would go. */
function focusSoon(box: HTMLElement | null): (() => void) | undefined {
  if (!window.matchMedia('(hover: hover)').matches) return undefined;
  const timer = setTimeout(() => box?.focus({ preventScroll: true }));
  return () => clearTimeout(timer);
}

function Examples({ examples, onPick }: { examples: string[]; onPick: (example: string) => void }) {
  return (
    <div className={css.examples}>
      <span>Try</span>
      {examples.map((example) => (
        <button key={example} type="button" className={css.example} onClick={() => onPick(example)}>
          {example}
        </button>
      ))}
    </div>
  );
}
