import type { Question } from '#contract/question';
import { keyOf, type QuestionKey } from '#core/question-key';

/**
 * What the list shows next: what waits, and the question one is at although it is settled, where it was. So nothing
 * goes from under one's hands. What does not fit the filter goes, settled or not.
 */
export function nextShown(
  shown: readonly Question[],
  waiting: readonly Question[],
  at: QuestionKey | undefined,
  filter: Filter = NO_FILTER,
): Question[] {
  const place = shown.findIndex((question) => keyOf(question) === at);
  const kept = shown[place];
  const isWaiting = waiting.some((question) => keyOf(question) === at);
  if (!kept || isWaiting || filtered([kept], filter).length === 0) return [...waiting];
  const still = new Set(waiting.map(keyOf));
  const follower = shown.slice(place + 1).find((question) => still.has(keyOf(question)));
  const index = follower
    ? waiting.findIndex((question) => keyOf(question) === keyOf(follower))
    : waiting.length;
  return [...waiting.slice(0, index), kept, ...waiting.slice(index)];
}

/** Where one goes when this one is done: the next that waits, else the last before it. */
export function neighbourOf(shown: readonly Question[], at: QuestionKey): Question | undefined {
  const place = shown.findIndex((question) => keyOf(question) === at);
  return shown[place + 1] ?? shown[place - 1];
}

export interface Filter {
  search: string;
  agent: string;
  kind: '' | 'confirmations' | 'questions';
}

const NO_FILTER: Filter = { search: '', agent: '', kind: '' };

/** Every word has to be somewhere in what one reads of it. */
export function filtered(questions: readonly Question[], { search, agent, kind }: Filter): Question[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return questions.filter(
    (question) =>
      (agent === '' || question.origin.includes(agent)) &&
      (kind === '' || (kind === 'confirmations') === (question.confirms !== undefined)) &&
      (words.length === 0 || words.every((word) => textOf(question).includes(word))),
  );
}

function textOf({ origin, conversationId, context, fields }: Question): string {
  const asked = fields.flatMap(({ header, question, options = [] }) => [
    header,
    question,
    ...options.map(({ label }) => label),
  ]);
  return [...origin, conversationId, context ?? '', ...asked].join('\n').toLowerCase();
}

/** As it stands in the address; what is none of its kinds is none. */
export function readFilter(params: URLSearchParams): Filter {
  const kind = params.get('kind');
  return {
    search: params.get('search') ?? '',
    agent: params.get('agent') ?? '',
    kind: kind === 'confirmations' || kind === 'questions' ? kind : '',
  };
}

export function isFiltering({ search, agent, kind }: Filter): boolean {
  return search !== '' || agent !== '' || kind !== '';
}
