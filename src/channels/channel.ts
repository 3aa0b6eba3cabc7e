import type { Question } from '../contract/question';

/** Something to tell about an open question. The same `id` is the same notice, however often it is sent. */
export interface Outgoing {
  id: string;
  /** In words: `reminder 1 of 2`, `escalated to maria`. */
  what: string;
  question: Question;
  title: string;
  to: string[];
  links: { web: string; self: string };
}

/**
 * A way to tell people. A failure is thrown, and Temporal sends again. A notice may come twice, if a worker died or the run
 * rolled over right then: it has the same id then, and a channel that can should show it once.
 */
export interface Channel {
  name: string;
  send(notice: Outgoing): Promise<void>;
}
