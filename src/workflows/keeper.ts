import { condition, patched } from '@temporalio/workflow';
import type { Entry } from '#contract/entry';
import { firstPiece, leaveOut, oldEntries } from '#core/old-entries';
import { AFTERWARDS, STATE_BYTES } from '#core/size';
import type { State } from '#core/state';
import { keepEntries } from './activities';
import { markOf } from './presence';

export interface Keeper {
  /** Resolves when it is time to look again; nothing where nothing leaves the state, or it cannot be kept. */
  rest(isOver: boolean): Promise<void> | undefined;
}

/** Has entries kept elsewhere before they leave the state. Whoever answers meanwhile is heard at once. */
export function keeper(state: State): Keeper {
  let underWay: Promise<void> | undefined;
  let isGivenUp = false;
  const begin = (old: Entry[]) => {
    underWay = keep(state, firstPiece(old)).then((isKept) => {
      isGivenUp = !isKept;
      underWay = undefined;
    });
  };
  return {
    rest(isOver) {
      // A sub-agent's state ends with it; what it leaves is a report.
      if (!underWay && !isGivenUp && !(isOver && state.parent)) {
        const old = oldEntries(state, isOver ? STATE_BYTES : AFTERWARDS);
        if (old.length > 0 && keepsEntries()) begin(old);
      }
      if (!underWay) return undefined;
      const mark = markOf(state);
      return Promise.race([underWay, condition(() => markOf(state) !== mark)]);
    },
  };
}

/** Conversations of before 0.7 dropped them, and their state was smaller. */
export function keepsEntries(): boolean {
  return patched('keeps-entries');
}

/** Never rejects: that would jam the run. It goes on without them then, and says so. */
async function keep(state: State, old: Entry[]): Promise<boolean> {
  const from = old[0]?.id ?? 0;
  const to = old.at(-1)?.id ?? 0;
  const name = `${from}-${to}`;
  try {
    const summary = `entries ${from} to ${to}`;
    const isKept = await keepEntries.executeWithOptions({ summary }, [{ name, from, to }]);
    if (isKept) leaveOut(state, name, old);
    return isKept === true;
  } catch {
    return false;
  }
}
