import type { ChaosEventLog, ConversationLog } from './event-log';
import type { SeededRandom } from './random';
import type { FlakyModel } from './scenario/flaky-model';

/** What simulated users work with: the APIs, the model, and whether the faults are over. */
export interface ChaosContext {
  seed: string;
  apis: string[];
  eventLog: ChaosEventLog;
  model: Pick<FlakyModel, 'logs'>;
  /** Once the faults are over, nothing may take longer than this. */
  recoveryTimeoutMs: number;
  /** When the faults ended; `undefined` while there are faults. */
  faultsEndedAt?: number;
  cues: ModelCues;
}

/** Whether the wait since that time is too long. While there are faults, no wait is. */
export function hasWaitedTooLong({ faultsEndedAt, recoveryTimeoutMs }: ChaosContext, since: number): boolean {
  return faultsEndedAt !== undefined && Date.now() - Math.max(faultsEndedAt, since) > recoveryTimeoutMs;
}

export const pickApiUrl = ({ apis }: ChaosContext, chance: SeededRandom) => chance.pick(apis);

/** Signals that the model has replied in a scenario, so that users need not poll for it. */
export interface ModelCues {
  signal(scenario: string): void;
  /** Resolves at the next signal, at once if there was one since the last wait, or after `ms`. */
  wait(story: ConversationLog, ms: number): Promise<void>;
}

export function createModelCues(): ModelCues {
  const signalled = new Set<string>();
  const waiters = new Map<string, () => void>();
  const rootOf = (scenario: string) => scenario.replace(/s\d+$/, '');
  return {
    signal(scenario) {
      signalled.add(rootOf(scenario));
      waiters.get(rootOf(scenario))?.();
    },
    async wait({ scenario: { name } }, ms) {
      if (!signalled.has(name)) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          waiters.set(name, () => {
            clearTimeout(timer);
            resolve();
          });
        });
      }
      waiters.delete(name);
      signalled.delete(name);
    },
  };
}
