import type { ChaosEventLog, ConversationLog } from './event-log';
import type { SeededRandom } from './random';
import type { FlakyModel } from './scenario/flaky-model';

/** What people act in: where the APIs are, what the model plays, and whether the faults are over. */
export interface ChaosContext {
  seed: string;
  apis: string[];
  ledger: ChaosEventLog;
  model: Pick<FlakyModel, 'heard'>;
  /** How long nothing may take longer than, once the faults are over. */
  patienceMs: number;
  /** Since when there are no faults any more. */
  overSince?: number;
  stage: ModelCues;
}

/** Whether something that waits since then has waited too long. While there are faults, nothing has. */
export function hasWaitedTooLong({ overSince, patienceMs }: ChaosContext, since: number): boolean {
  return overSince !== undefined && Date.now() - Math.max(overSince, since) > patienceMs;
}

export const pickApiUrl = ({ apis }: ChaosContext, chance: SeededRandom) => chance.pick(apis);

/** The model's cues: when it has said its part, somebody may look what has come of it. */
export interface ModelCues {
  give(play: string): void;
  /** Resolves at the next cue, or at once where there was one since the last wait, or after so long. */
  wait(story: ConversationLog, ms: number): Promise<void>;
}

export function createModelCues(): ModelCues {
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
