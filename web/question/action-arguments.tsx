import type { ActionToConfirm } from '#contract/question';
import { formatArguments } from '#presentation/confirmation';
import { joinClassNames } from '../lib/class-names';
import css from './action-arguments.module.css';

/** Shows what a "yes" approves: the tool and its exact arguments, with hidden characters made visible. */
export function ActionArguments({ confirms, isDestructive }: { confirms: ActionToConfirm; isDestructive: boolean }) {
  const { tool, arguments: args } = confirms;
  if (tool === null && args === null) return null;
  return (
    <div className={joinClassNames(css.action, isDestructive && css.destructive)}>
      <p className={css.caption}>
        {tool === null ? (
          'With exactly these arguments:'
        ) : (
          <>
            Runs <code className={css.tool}>{tool}</code> with exactly these arguments:
          </>
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre className={css.arguments} tabIndex={0}>
        <code>{formatArguments(args)}</code>
      </pre>
    </div>
  );
}
