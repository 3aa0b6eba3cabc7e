import type { Outgoing } from '#channels/channel';
import type { EmailSettings } from '#contract/channel-settings';
import type { Field, Question } from '#contract/question';

export const ID = 'c-0123456789abcdef01234567';
export const BASE = 'https://parley.example.com';
export const SECRET = 'a secret for tests';

export function field(more: Partial<Field> = {}): Field {
  return {
    key: 'q1',
    header: 'Colour',
    question: 'Which colour?',
    multiSelect: false,
    allowOther: true,
    required: true,
    ...more,
  };
}

export const options = (...labels: string[]) => labels.map((label) => ({ label }));

export function question(fields: Field[], more: Partial<Question> = {}): Question {
  return {
    id: 'question-1',
    conversationId: ID,
    agent: 'painter',
    origin: ['builder', 'painter'],
    status: 'pending',
    context: null,
    fields,
    askedAt: '2026-11-17T09:30:00.000Z',
    expiresAt: '2026-11-20T09:30:00.000Z',
    onTimeout: 'continue',
    notices: [],
    outcome: null,
    ...more,
  };
}

export const colours = question([field({ options: options('Red', 'Blue', 'Dark green') })]);

export const confirmation = question(
  [field({ header: 'Confirm', options: options('Yes, proceed', 'No, cancel'), allowOther: false })],
  { confirms: { tool: 'pay', arguments: { amount: 5 }, digest: '' } },
);

export function outgoing(asked: Question, more: Partial<Outgoing> = {}): Outgoing {
  return {
    id: `${ID}/question-1/0`,
    place: 'maria@example.com',
    question: asked,
    title: 'Paint the house',
    links: {
      self: `${BASE}/v1/conversations/${ID}`,
      events: `${BASE}/v1/conversations/${ID}/events`,
      web: `${BASE}/conversations/${ID}`,
      temporal: 'https://temporal.example.com',
    },
    root: ID,
    at: '2026-11-16T09:30:05.000Z',
    what: 'asked',
    to: [],
    access: { owner: 'owner', visibleTo: [], assignees: ['maria'] },
    revoked: [],
    isRepeat: false,
    ...more,
  };
}

export const people = [{ name: 'maria', emails: ['maria@example.com', 'maria@home.example'], slack: [] }];

export function settingsFor(smtpUrl: string, more: Partial<EmailSettings> = {}): EmailSettings {
  return {
    smtpUrl,
    from: 'Parley <parley@example.com>',
    replyTo: 'reply@in.example.com',
    inboundSecret: 'an inbound secret',
    ...more,
  };
}
