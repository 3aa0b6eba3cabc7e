import { randomBytes } from 'node:crypto';
import type { ConversationEndEvent, OutgoingNotification, ResolvedCopy } from '#channels/channel';
import {
  exampleAnsweredQuestion,
  exampleQuestion,
  exampleStartedConversation,
  exampleWaitingConversation,
} from '#contract/operations/examples';

export const generateWebhookSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

const notificationContext = (target: string) => ({
  target,
  title: exampleWaitingConversation.title,
  links: exampleWaitingConversation.links,
  rootConversationId: 'root',
});

export function webhookNotification(target: string, more: Partial<OutgoingNotification> = {}): OutgoingNotification {
  return {
    id: 'offsite/question-1/0',
    ...notificationContext(target),
    question: exampleQuestion,
    dueAt: '2026-11-16T09:30:05.000Z',
    reason: 'asked',
    escalatedTo: [],
    access: { owner: null, visibleTo: [], assignees: [] },
    linksRevokedFor: [],
    mayBeDuplicate: false,
    ...more,
  };
}

export function webhookResolvedCopy(target: string, more: Partial<ResolvedCopy> = {}): ResolvedCopy {
  return {
    id: 'offsite/question-1/settled',
    ...notificationContext(target),
    question: exampleAnsweredQuestion,
    ref: {},
    ...more,
  };
}

export function webhookConversationEnd(
  target: string,
  more: Partial<ConversationEndEvent['conversation']> = {},
): ConversationEndEvent {
  const completedAt = '2026-11-16T11:02:58.000Z';
  const conversation = {
    ...exampleStartedConversation,
    status: 'completed' as const,
    completedAt,
    result: 'done',
    ...more,
  };
  return { id: 'offsite/end-9', target, conversation };
}
