import type { OutgoingNotification } from '#channels/channel';
import type { EmailSettings } from '#channels/email/settings';
import type { Question, QuestionField } from '#contract/question';

export const EMAIL_CONVERSATION_ID = 'c-0123456789abcdef01234567';
export const EMAIL_BASE_URL = 'https://parley.example.com';
export const EMAIL_TOKEN_SECRET = 'a secret for tests';

export function emailField(overrides: Partial<QuestionField> = {}): QuestionField {
  return {
    key: 'q1',
    header: 'Colour',
    question: 'Which colour?',
    multiSelect: false,
    allowOther: true,
    required: true,
    ...overrides,
  };
}

export const emailOptions = (...labels: string[]) => labels.map((label) => ({ label }));

export function emailQuestion(fields: QuestionField[], overrides: Partial<Question> = {}): Question {
  return {
    id: 'question-1',
    conversationId: EMAIL_CONVERSATION_ID,
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
    ...overrides,
  };
}

export const emailColourQuestion = emailQuestion([emailField({ options: emailOptions('Red', 'Blue', 'Dark green') })]);

export const emailConfirmation = emailQuestion(
  [emailField({ header: 'Confirm', options: emailOptions('Yes, proceed', 'No, cancel'), allowOther: false })],
  { confirms: { tool: 'pay', arguments: { amount: 5 }, digest: '' } },
);

export function emailNotification(
  question: Question,
  overrides: Partial<OutgoingNotification> = {},
): OutgoingNotification {
  return {
    id: `${EMAIL_CONVERSATION_ID}/question-1/0`,
    target: 'maria@example.com',
    question,
    title: 'Paint the house',
    links: {
      self: `${EMAIL_BASE_URL}/v1/conversations/${EMAIL_CONVERSATION_ID}`,
      events: `${EMAIL_BASE_URL}/v1/conversations/${EMAIL_CONVERSATION_ID}/events`,
      web: `${EMAIL_BASE_URL}/conversations/${EMAIL_CONVERSATION_ID}`,
      temporal: 'https://temporal.example.com',
    },
    rootConversationId: EMAIL_CONVERSATION_ID,
    dueAt: '2026-11-16T09:30:05.000Z',
    reason: 'asked',
    escalatedTo: [],
    access: { owner: 'owner', visibleTo: [], assignees: ['maria'] },
    linksRevokedFor: [],
    mayBeDuplicate: false,
    ...overrides,
  };
}

export const emailPeople = [{ name: 'maria', emails: ['maria@example.com', 'maria@home.example'], slack: [] }];

export function emailSettingsFor(smtpUrl: string, overrides: Partial<EmailSettings> = {}): EmailSettings {
  return {
    smtpUrl,
    from: 'Parley <parley@example.com>',
    replyTo: 'reply@in.example.com',
    inboundSecret: 'an inbound secret',
    ...overrides,
  };
}
