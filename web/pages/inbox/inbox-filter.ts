import type { Question } from '#contract/question';

export interface InboxPageFilter {
  search: string;
  agent: string;
  kind: '' | 'confirmations' | 'questions';
}

export const NO_INBOX_FILTER: InboxPageFilter = { search: '', agent: '', kind: '' };

/** Questions that match the agent and kind, and contain every search term. */
export function filterInboxQuestions(
  questions: readonly Question[],
  { search, agent, kind }: InboxPageFilter,
): Question[] {
  const terms = search.toLowerCase().split(/\s+/).filter(Boolean);
  return questions.filter(
    (question) =>
      (agent === '' || question.origin.includes(agent)) &&
      (kind === '' || (kind === 'confirmations') === (question.confirms !== undefined)) &&
      (terms.length === 0 || terms.every((term) => searchableText(question).includes(term))),
  );
}

function searchableText({ origin, conversationId, context, fields }: Question): string {
  const fieldTexts = fields.flatMap(({ header, question, options = [] }) => [
    header,
    question,
    ...options.map(({ label }) => label),
  ]);
  return [...origin, conversationId, context ?? '', ...fieldTexts].join('\n').toLowerCase();
}

/** Reads the filter from the URL; an unknown kind counts as none. */
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
