import type { ParleyError } from '../../client/parley-error';
import type { InboxEvent } from '../../contract/event';
import type { Question } from '../../contract/question';
import { keyOf, type QuestionKey } from '../../core/question-key';
import { headline, outcomeText } from '../../core/words';
import type { Context } from '../context';
import type { Filter } from './filter';
import { EMPTY, keep, type Shelf, take } from './shelf';

/** The inbox as it changes, while somebody looks at it or is at a question of it. */
export interface News {
  shelf: Shelf;
  /** What happened elsewhere, or is wrong with the line. */
  said: string | undefined;
  /** Called at every change. */
  onChange: () => void;
  /** Ends only where it cannot go on. */
  broken: Promise<never>;
  /** Aborted with the question as it stands once somebody settles it. */
  goneOf(question: Question): AbortSignal;
  /** It is settled from here, or its answer is on its way. */
  tell(question: Question, isKept: boolean): void;
  stop(): void;
}

export function listen({ parley }: Context, filter: Filter): News {
  const stopped = new AbortController();
  const open = new Map<QuestionKey, AbortController>();
  let trouble: ParleyError | undefined;
  let settledElsewhere: string | undefined;

  const hear = (event: InboxEvent) => {
    news.shelf = take(news.shelf, event);
    if (event.event !== 'question_answered') return;
    const one = open.get(keyOf(event.data));
    if (one) one.abort(event.data);
    else settledElsewhere = `${outcomeText(event.data)}: ${headline(event.data)}`;
  };
  const run = async (): Promise<never> => {
    const onTrouble = (now: ParleyError | undefined) => {
      trouble = now;
      news.onChange();
    };
    for await (const event of parley.inboxEvents({ ...filter, signal: stopped.signal, onTrouble })) {
      hear(event);
      news.onChange();
    }
    // It ends by itself only when it is stopped.
    return new Promise<never>(() => undefined);
  };

  const news: News = {
    shelf: EMPTY,
    get said() {
      return trouble ? 'The connection is lost. Trying again …' : settledElsewhere;
    },
    onChange: () => undefined,
    broken: Promise.resolve().then(run),
    goneOf(question) {
      const controller = new AbortController();
      open.set(keyOf(question), controller);
      return controller.signal;
    },
    tell(question, isKept) {
      settledElsewhere = undefined;
      if (isKept) news.shelf = keep(news.shelf, question);
      else news.shelf = take(news.shelf, { event: 'question_answered', data: question });
    },
    stop: () => stopped.abort(),
  };
  news.broken.catch(() => undefined);
  return news;
}
