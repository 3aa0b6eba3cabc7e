import type { AnswerLink, RevokedLinks } from '#contract/operations/replies';
import type { Question } from '#contract/question';
import type {
  Answered,
  AnswerInput,
  DeclineInput,
  InboxFilter,
  LinkInput,
  Page,
  Paging,
  RevokeInput,
} from './input';
import { type ReadOptions, read, remove, type WriteOptions, write } from './request';
import type { Settings } from './settings';

const LATEST = 'latest';

export function questions(settings: Settings) {
  const pathTo = (id: string, question: string) => ['conversations', id, 'questions', question];

  return {
    /** What waits for an answer, soonest deadline first. */
    inbox: ({ signal, ...query }: InboxFilter & Paging = {}) =>
      read<Page<Question>>(settings, ['questions'], { ...query }, signal),

    /** All of one conversation, with their outcomes. */
    questions: (id: string, { signal }: ReadOptions = {}) =>
      read<{ items: Question[]; truncated?: true }>(settings, ['conversations', id, 'questions'], {}, signal),

    question: (id: string, question: string = LATEST, { signal }: ReadOptions = {}) =>
      read<Question>(settings, pathTo(id, question), {}, signal),

    answer: (id: string, { question = LATEST, ...body }: AnswerInput, options?: WriteOptions) =>
      write<Answered>(settings, [...pathTo(id, question), 'answer'], body, options),

    /** The person will not answer. */
    decline: (id: string, { question = LATEST, ...body }: DeclineInput = {}, options?: WriteOptions) =>
      write<Answered>(settings, [...pathTo(id, question), 'decline'], body, options),

    /** A link by which that person can answer with no key. Whoever has it can: send it to nobody else. */
    createLink: (id: string, { question = LATEST, ...body }: LinkInput, options?: WriteOptions) =>
      write<AnswerLink>(settings, [...pathTo(id, question), 'links'], body, options),

    /** Takes back the links of that person, or everybody’s. */
    revokeLinks: (id: string, { question = LATEST, ...query }: RevokeInput = {}, options?: WriteOptions) =>
      remove<RevokedLinks>(settings, [...pathTo(id, question), 'links'], query, options),
  };
}
