import type { Question } from '#contract/question';
import type { Narrator } from './narrator';

/** What is told the same way, whether somebody looks on or not. */
export abstract class NarratingTeller {
  protected abstract readonly narrator: Narrator;

  below(): void {
    this.narrator.below();
  }

  asked(question: Question): void {
    this.narrator.asked(question);
  }

  settled(question: Question): void {
    this.narrator.settled(question);
  }

  say(line: string): void {
    this.narrator.close();
    this.narrator.tell('note', [line]);
  }
}
