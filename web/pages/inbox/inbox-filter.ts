import type { Question } from '#contract/question';

export interface InboxPageFilter {
  search: string;
  agent: string;
  kind: '' | 'confirmations' | 'questions';
}

export const NO_INBOX_FILTER: InboxPageFilter = { search: '', agent: '', kind: '' };

/** Every word has to be somewhere in what one reads of it. */
export function filterInboxQuestions(
  questions: readonly Question[],
  { search, agent, kind }: InboxPageFilter,
): Question[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return questions.filter(
    (question) =>
      (agent === '' || question.origin.includes(agent)) &&
      (kind === '' || (kind === 'confirmations') === (question.confirms !== undefined)) &&
      (words.length === 0 || words.every((word) => searchableText(question).includes(word))),
  );
}

function searchableText({ origin, conversationId, context, fields }: Question): string {
  const asked = fields.flatMap(({ header, question, options = [] }) => [
    header,
    question,
    ...options.map(({ label }) => label),
  ]);
  return [...origin, conversationId, context ?? '', ...asked].join('\n').toLowerCase();
}

/** As it stands in the address; what is none of its kinds is none. */
export function parseInboxPageFilter(params: URLSearchParams): InboxPageFilter {
  const kind = params.get('kind');
  return {
    search: params.get('search') ?? '',
    agent: params.get('agent') ?? '',
    kind: kind === 'confirmations' || kind === 'questions' ? kind : '',
  };
}

export function isInboxFiltered({ search, agent, kind }: InboxPageFilter): boolean {
  return search !== '' || agent !== '' || kind !== '';
}
