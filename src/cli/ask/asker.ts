import type { Fault } from '#contract/question';
import type { Reply } from './reply';

/** Somebody who is asked, by keys or line by line. */
export interface Asker {
  /** Asks, or asks again with what was entered kept. */
  ask(): Promise<Reply>;
  /** Waits while it is sent; nothing where they leave before that is done. */
  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
  /** What was wrong with what they sent, field by field. */
  tellFaults(faults: readonly Fault[]): void;
  /** Why it could not be sent; they may try again. */
  tellTrouble(trouble: string): void;
  /** What they had put in, a line for each. */
  entered(): string[];
  /** It is for nobody here any more. True where what was written for it could be taken for an answer to the next. */
  withdraw(): boolean;
  close(): void;
}
