import type { Export } from '#contract/export';
import type { Question } from '#contract/question';
import { type Act, actIn, type Story } from '../ledger';
import type { Heard } from '../model';
import { type PlannedCall, type Play, readRef } from '../play';

/** A promise that was broken. */
export interface Finding {
  promise: string;
  conversation: string;
  what: string;
}

/** Everything that is known of one conversation in the end. */
export interface Evidence {
  story: Story;
  /** Its own document first, then those of its sub-agents. */
  documents: Export[];
  plays: Map<string, Play>;
  /** What the model was told, by the play. */
  heard: Map<string, Heard>;
  /** How often the outside was asked for each run. */
  runs: Map<string, number>;
}

/** Whose doing an outcome was, where it was a person's. */
export function doerOf({ story }: Evidence, { outcome }: Question): Act | undefined {
  const id = actIn(outcome);
  return id === undefined ? undefined : story.acts.find((act) => act.id === id);
}

export function questionOf({ documents }: Evidence, conversation: string, id: string): Question | undefined {
  return documents
    .find((document) => document.conversation.id === conversation)
    ?.questions.find((question) => question.id === id);
}

/** Which call of which turn has put it. */
export function callBehind(question: Question): ReturnType<typeof readRef> {
  return readRef(JSON.stringify([question.fields, question.confirms]));
}

export function plannedAt({ plays }: Evidence, text: string): PlannedCall | undefined {
  const ref = readRef(text);
  return ref && plays.get(ref.play)?.steps[ref.step]?.calls[ref.call];
}

/** Told in a line: what was sent, and what was said to it. */
export function told(act: Act): string {
  const tries = act.tries
    .filter(({ status }) => status !== undefined)
    .map(({ status, code, sentAt, repliedAt }) => {
      const when = `${new Date(sentAt).toISOString().slice(11, 23)}+${repliedAt - sentAt}`;
      return `${when} ${status}${code ? ` ${code}` : ''}`;
    });
  const unheard = act.tries.length - tries.length;
  const all = [...(unheard > 0 ? [`${unheard} × no reply`] : []), ...tries];
  return `${act.deed} ${act.id}${act.question ? ` to ${act.question}` : ''} [${all.join('; ')}]`;
}
