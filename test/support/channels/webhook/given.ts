import { randomBytes } from 'node:crypto';
import type { Copy, Ending, Outgoing } from '#channels/channel';
import { answered, question, started, waiting } from '#contract/examples';

export const makeSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

const about = (place: string) => ({ place, title: waiting.title, links: waiting.links, root: 'root' });

export function notice(place: string, more: Partial<Outgoing> = {}): Outgoing {
  return {
    id: 'offsite/question-1/0',
    ...about(place),
    question,
    at: '2026-11-16T09:30:05.000Z',
    what: 'asked',
    to: [],
    access: { owner: null, visibleTo: [], assignees: [] },
    revoked: [],
    isRepeat: false,
    ...more,
  };
}

export function copy(place: string, more: Partial<Copy> = {}): Copy {
  return { id: 'offsite/question-1/settled', ...about(place), question: answered, ref: {}, ...more };
}

export function ending(place: string, more: Partial<Ending['conversation']> = {}): Ending {
  const completedAt = '2026-11-16T11:02:58.000Z';
  const conversation = { ...started, status: 'completed' as const, completedAt, result: 'done', ...more };
  return { id: 'offsite/end-9', place, conversation };
}
