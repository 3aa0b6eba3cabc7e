import { ChevronRight, Wrench } from 'lucide-react';
import type { Entry } from '#contract/entry';
import { keptIn } from '#core/kept-result';
import { shownArguments } from '#core/shown-action';
import { Pill } from '../design/pill';
import css from './timeline.module.css';

interface Props {
  entry: Extract<Entry, { kind: 'tool' }>;
  conversationId: string;
}

/** A tool that was used: one line, and all of it for those who open it. */
export function ToolUse({ entry, conversationId }: Props) {
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
          {result !== undefined && <Outcome title="Result" text={result} of={conversationId} />}
          {error !== undefined && <Outcome title="Error" text={error} of={conversationId} />}
        </div>
      </details>
    </li>
  );
}

/** What came of it, or its beginning and a way to the rest. */
function Outcome({ title, text, of }: { title: string; text: string; of: string }) {
  const kept = keptIn(text);
  if (!kept) return <Part title={title} text={text} />;
  return (
    <>
      <Part title={title} text={kept.shown} />
      <p>
        This is the beginning of {kept.length.toLocaleString('en')} characters.{' '}
        <a href={`/v1/conversations/${of}/results/${kept.handle}`} target="_blank" rel="noreferrer">
          Read all of it
        </a>
      </p>
    </>
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
