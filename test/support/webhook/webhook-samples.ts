import { randomBytes } from 'node:crypto';
import type { ConversationEndEvent, OutgoingNotification, ResolvedCopy } from '#channels/channel';
import {
  exampleAnsweredQuestion,
  exampleQuestion,
  exampleStartedConversation,
  exampleWaitingConversation,
} from '#contract/operations/examples';

export const generateWebhookSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

const notificationContext = (place: string) => ({
  place,
  title: exampleWaitingConversation.title,
  links: exampleWaitingConversation.links,
  root: 'root',
});

export function webhookNotification(place: string, more: Partial<OutgoingNotification> = {}): OutgoingNotification {
  return {
    id: 'offsite/question-1/0',
    ...notificationContext(place),
    question: exampleQuestion,
    at: '2026-11-16T09:30:05.000Z',
    what: 'asked',
    to: [],
    access: { owner: null, visibleTo: [], assignees: [] },
    revoked: [],
    isRepeat: false,
    ...more,
  };
}

export function webhookResolvedCopy(place: string, more: Partial<ResolvedCopy> = {}): ResolvedCopy {
  return {
    id: 'offsite/question-1/settled',
    ...notificationContext(place),
    question: exampleAnsweredQuestion,
    ref: {},
    ...more,
  };
}

export function webhookConversationEnd(
  place: string,
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
  return { id: 'offsite/end-9', place, conversation };
}
