import { createParley } from '#client/parley';
import type { Chance } from './chance';
import type { Story } from './ledger';
import { anApi, type World } from './world';

/** That API may be down when they come; they try for a minute. */
const RETRIES = 30;

/** Somebody follows it live from its start to its first end, by one API, whatever becomes of that. */
export function watch(world: World, story: Story, chance: Chance): { end(): Promise<void> } {
  const enough = new AbortController();
  const client = createParley({
    url: anApi(world, chance),
    timing: { longestWaitMs: 2_000 },
    retries: RETRIES,
  });
  const follow = async () => {
    for await (const told of client.events(story.conversation, { signal: enough.signal })) {
      const number = (told as { id?: number }).id;
      if (told.event === 'snapshot') story.watched = { from: number ?? 0, numbers: [] };
      else if (number !== undefined) story.watched?.numbers.push(number);
    }
  };
  const followed = follow().catch((error: Error) =>
    story.troubles.push(`who watched it heard ${error.message}`),
  );
  return {
    /** It is over: whoever watches has a moment to hear of it. */
    async end() {
      const late = setTimeout(() => {
        story.troubles.push('who watched it was never told that it is done');
        enough.abort();
      }, 2 * world.patienceMs);
      await followed;
      clearTimeout(late);
    },
  };
}
