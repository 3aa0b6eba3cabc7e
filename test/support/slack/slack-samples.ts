import type { OutgoingNotification } from '#channels/channel';
import type { Question, QuestionField } from '#contract/question';
import { sha256Digest } from '#core/digest';
import { testField } from '#test/support/core/conversation-fixture';

const ASKED_AT = '2026-11-16T09:30:00.000Z';

export function slackQuestion(fields: Partial<QuestionField>[] = [{}], overrides: Partial<Question> = {}): Question {
  return {
    id: 'question-1',
    conversationId: 'c-1',
    agent: 'clerk',
    origin: ['clerk'],
    status: 'pending',
    context: null,
    fields: fields.map((one, index) => testField({ key: `q${index + 1}`, ...one })),
    askedAt: ASKED_AT,
    expiresAt: null,
    onTimeout: 'continue',
    notices: [],
    outcome: null,
    ...overrides,
  };
}

export const slackOptions = (...labels: string[]) => labels.map((label) => ({ label }));

/** Returns a question that asks to confirm a call of that tool. */
export function slackConfirmation(toolArguments: unknown, tool: string | null = 'send_mail'): Question {
  const yesOrNo = { options: slackOptions('Yes, proceed', 'No, cancel'), allowOther: false };
  return slackQuestion([{ header: 'Confirm', question: 'Run it?', ...yesOrNo }], {
    context: `Why.\n\n\`\`\`json\n${JSON.stringify(toolArguments, null, 2)}\n\`\`\``,
    confirms: { tool, arguments: toolArguments, digest: sha256Digest(toolArguments), destructive: tool !== null },
  });
}

export function slackNotification(
  question: Question = slackQuestion(),
  overrides: Partial<OutgoingNotification> = {},
): OutgoingNotification {
  const self = 'https://parley.example.com/v1/conversations/c-1';
  const web = 'https://parley.example.com/conversations/c-1';
  return {
    id: 'c-1/question-1/0',
    target: '#ops',
    dueAt: '2026-11-16T09:30:05.000Z',
    reason: 'asked',
    escalatedTo: [],
    question,
    title: 'Paint the shed',
    links: { self, events: `${self}/events`, web, temporal: '' },
    rootConversationId: 'c-1',
    access: { owner: 'ann', visibleTo: [], assignees: [] },
    linksRevokedFor: [],
    mayBeDuplicate: false,
    ...overrides,
  };
}

export function resolvedSlackQuestion(question: Question, overrides: Partial<Question> = {}): Question {
  const outcome = { answers: { q1: 'Blue' }, by: 'maria', via: 'web', at: '2026-11-17T10:00:00.000Z' };
  return { ...question, status: 'answered', outcome, ...overrides };
}
