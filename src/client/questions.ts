import type { Question } from '../contract/question';
import type { Answered, AnswerInput, DeclineInput, InboxFilter, Page, Paging } from './input';
import { type ReadOptions, read, type WriteOptions, write } from './request';
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
  };
}
