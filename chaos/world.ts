import type { Chance } from './chance';
import type { Ledger, Story } from './ledger';
import type { Model } from './model';

/** What people act in: where the APIs are, what the model plays, and whether the faults are over. */
export interface World {
  seed: string;
  apis: string[];
  ledger: Ledger;
  model: Pick<Model, 'heard'>;
  /** How long nothing may take longer than, once the faults are over. */
  patienceMs: number;
  /** Since when there are no faults any more. */
  overSince?: number;
  stage: Cues;
}

/** Whether something that waits since then has waited too long. While there are faults, nothing has. */
export function isStuck({ overSince, patienceMs }: World, since: number): boolean {
  return overSince !== undefined && Date.now() - Math.max(overSince, since) > patienceMs;
}

export const anApi = ({ apis }: World, chance: Chance) => chance.pick(apis);

/** The model's cues: when it has said its part, somebody may look what has come of it. */
export interface Cues {
  give(play: string): void;
  /** Resolves at the next cue, or at once where there was one since the last wait, or after so long. */
  wait(story: Story, ms: number): Promise<void>;
}

export function createCues(): Cues {
  const given = new Set<string>();
  const waiting = new Map<string, () => void>();
  const rootOf = (play: string) => play.replace(/s\d+$/, '');
  return {
    give(play) {
      given.add(rootOf(play));
      waiting.get(rootOf(play))?.();
    },
    async wait({ play: { name } }, ms) {
      if (!given.has(name)) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          waiting.set(name, () => {
            clearTimeout(timer);
            resolve();
          });
        });
      }
      waiting.delete(name);
      given.delete(name);
    },
  };
}
