import { ChevronRight, Wrench } from 'lucide-react';
import type { Entry } from '../../src/contract/entry';
import { shownArguments } from '../../src/core/shown-action';
import { Pill } from '../design/pill';
import css from './timeline.module.css';

/** A tool that was used: one line, and all of it for those who open it. */
export function ToolUse({ entry }: { entry: Extract<Entry, { kind: 'tool' }> }) {
  const { name, input, result, error } = entry;
  return (
    <li>
      <details className={css.fold}>
        <summary>
          <Wrench size={15} aria-hidden="true" />
          <span>
            Used <code>{name}</code>
          </span>
          {error !== undefined && <Pill tone="danger">failed</Pill>}
          <ChevronRight size={16} aria-hidden="true" />
        </summary>
        <div className={css.inside}>
          <Part title="Input" text={shownArguments(input)} />
          {result !== undefined && <Part title="Result" text={result} />}
          {error !== undefined && <Part title="Error" text={error} />}
        </div>
      </details>
    </li>
  );
}

function Part({ title, text }: { title: string; text: string }) {
  return (
    <>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </>
  );
}
