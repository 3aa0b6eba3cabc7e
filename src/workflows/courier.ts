import { ApplicationFailure, startChild } from '@temporalio/workflow';
import type { Conversation, Links } from '../contract/conversation';
import type { Question } from '../contract/question';
import { type KeptCopy, WEBHOOK } from '../core/copies';
import { clip } from '../core/json';
import type { State } from '../core/state';
import { conversationOf } from '../core/view';
import { deliver } from './activities';
import { readable } from './failures';
import { COURIER_TYPE } from './messages';

/** One thing to tell in one place: what became of a question, or of the conversation. */
export interface Errand {
  /** The same however often it is told. */
  id: string;
  channel: string;
  /** Of the callback. */
  url?: string;
  ref?: Record<string, string>;
  title: string;
  links: Links;
  root: string;
  question?: Question;
  ended?: Conversation;
}

/** Goes round until everybody has been told, or three days are over. True where a receiver wants to hear no more. */
export async function courier(errands: Errand[]): Promise<boolean> {
  const failures: string[] = [];
  const gone = new Set<string>();
  const run = async (errand: Errand) => {
    try {
      await deliver.executeWithOptions({ summary: `${errand.id} by ${errand.channel}` }, [errand]);
    } catch (error) {
      const { code, message } = readable(error, 'not_told', 'the channel could not be reached');
      if (code === 'gone') gone.add(errand.channel);
      else failures.push(`${errand.channel}: ${message}`);
    }
  };
  // One after the other where they go to the same place, so that they come in order.
  const visit = async (channel: string) => {
    for (const errand of errands) if (errand.channel === channel && !gone.has(channel)) await run(errand);
  };
  await Promise.all([...new Set(errands.map(({ channel }) => channel))].map(visit));
  if (failures.length > 0) throw ApplicationFailure.nonRetryable(failures.join('\n'), 'not_told');
  return gone.size > 0;
}

/** Resolves once it is on its way, which no end and no roll-over stops then. */
export async function sendCourier(
  id: string,
  errands: Errand[],
  heard: (isGone: boolean) => void,
): Promise<void> {
  const [first] = errands;
  const sent = await startChild<typeof courier>(COURIER_TYPE, {
    workflowId: `${id}/courier`,
    args: [errands],
    staticSummary: `Tells what became of ${first?.question?.id ?? 'the conversation'}: ${clip(first?.title ?? '', 80)}`,
    parentClosePolicy: 'ABANDON',
    cancellationType: 'ABANDON',
  });
  void sent.result().then(heard, () => undefined);
}

function about({ title, links, root }: State): Pick<Errand, 'title' | 'links' | 'root'> {
  return { title, links, root };
}

export function settleErrand(state: State, question: Question, { channel, number, ref }: KeptCopy): Errand {
  return { id: `${state.id}/${question.id}/${number}/settled`, channel, ref, question, ...about(state) };
}

export function callbackErrand(state: State, question: Question): Errand[] {
  const { id, callbackUrl: url } = state;
  return url
    ? [{ id: `${id}/${question.id}/settled`, channel: WEBHOOK, url, question, ...about(state) }]
    : [];
}

const RESULT_LENGTH = 12_000;

/** A sub-agent's end is the business of the one it works for. */
export function endErrand(state: State): Errand[] {
  const { id, callbackUrl: url, parent, lastEntry, result } = state;
  if (!url || parent) return [];
  const ended = { ...conversationOf(state), result: result && clip(result, RESULT_LENGTH) };
  return [{ id: `${id}/end-${lastEntry}`, channel: WEBHOOK, url, ended, ...about(state) }];
}
