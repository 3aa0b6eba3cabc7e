import type { ActionToConfirm } from '#contract/question';
import { formatArguments } from '#presentation/confirmation';
import { joinClassNames } from '../lib/class-names';
import css from './action-arguments.module.css';

/** What a "yes" lets happen: the tool and exactly its arguments, nothing hidden in them. */
export function ActionArguments({ confirms, isGrave }: { confirms: ActionToConfirm; isGrave: boolean }) {
  const { tool, arguments: given } = confirms;
  if (tool === null && given === null) return null;
  return (
    <div className={joinClassNames(css.action, isGrave && css.grave)}>
      <p className={css.what}>
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
        <code>{formatArguments(given)}</code>
      </pre>
    </div>
  );
}
