import type { Confirms } from '#contract/question';
import { shownArguments } from '#core/shown-action';
import { classes } from '../design/classes';
import css from './action.module.css';

/** What a "yes" lets happen: the tool and exactly its arguments, nothing hidden in them. */
export function Action({ confirms, isGrave }: { confirms: Confirms; isGrave: boolean }) {
  const { tool, arguments: given } = confirms;
  if (tool === null && given === null) return null;
  return (
    <div className={classes(css.action, isGrave && css.grave)}>
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
        <code>{shownArguments(given)}</code>
      </pre>
    </div>
  );
}
