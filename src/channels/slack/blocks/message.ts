import type { KnownBlock } from '@slack/types';
import type { NotificationContext, OutgoingNotification, ResolvedCopy } from '#channels/channel';
import type { Question } from '#contract/question';
import { contextWithoutArguments } from '#presentation/confirmation';
import { createAnswerButtons, hasCompleteLabels, listButtonChoices } from './buttons';
import { createActionBlocks, createAnswerBlocks, createFieldBlocks } from './question';
import {
  createContextNote,
  createPlainText,
  createSection,
  escapeAndTruncate,
  formatSlackLink,
  formatSlackOutcome,
  formatSlackTime,
  markdownToMrkdwn,
  truncatePlainText,
} from './text';

/** The content of a message, without its destination. */
export interface SlackMessage {
  /** For notifications, and for readers who cannot see blocks. */
  text: string;
  blocks: KnownBlock[];
  metadata: { event_type: string; event_payload: Record<string, string> };
}

const MAX_CONTEXT_LENGTH = 2_900;
const MAX_COMMENT_LENGTH = 1_500;
const MAX_HEADER_LENGTH = 150;
const MAX_FALLBACK_LENGTH = 300;

/** Identifies a message later, to avoid duplicates and to match replies to the question. */
function createMessageMetadata(
  event_type: 'parley_question' | 'parley_reminder',
  { id, question }: NotificationContext,
): SlackMessage['metadata'] {
  const { conversationId: conversation, askedAt } = question;
  return { event_type, event_payload: { conversation, question: question.id, askedAt, notice: id } };
}

/** Creates the question with buttons. `mentions` are the people it is escalated to. */
export function createQuestionMessage(notification: OutgoingNotification, mentions: string[]): SlackMessage {
  const { question, links } = notification;
  const context = markdownToMrkdwn(
    contextWithoutArguments(question.context, question.confirms) ?? '',
    MAX_CONTEXT_LENGTH,
  );
  const fieldBlocks = createFieldBlocks(question, hasCompleteLabels(listButtonChoices(question)));
  const { blocks: actionBlocks, isComplete } = createActionBlocks(question);
  const isTruncated = context.isTruncated || fieldBlocks.isTruncated;
  const blocks: KnownBlock[] = [
    ...createHeaderBlocks(notification),
    ...(mentions.length > 0 ? [createSection(`Escalated to ${mentions.join(', ')}`)] : []),
    ...(context.text ? [createSection(context.text)] : []),
    ...actionBlocks,
    ...fieldBlocks.blocks,
    ...(isTruncated ? [createContextNote(`Shortened. ${formatSlackLink(links.web, 'Read the full question')}`)] : []),
    ...(isComplete
      ? []
      : [
          createContextNote(`The arguments are too long for Slack. ${formatSlackLink(links.web, 'Approve in Parley')}`),
        ]),
    createAnswerButtons(question),
    createFooterBlock(notification),
  ];
  return {
    text: createFallbackText(question),
    blocks,
    metadata: createMessageMetadata('parley_question', notification),
  };
}

/** Creates a short reminder for the thread of the first copy, which has the buttons. */
export function createReminderMessage(notification: OutgoingNotification, mentions: string[]): SlackMessage {
  const { question, reason, escalatedTo } = notification;
  const mentionPrefix = mentions.length > 0 ? `${mentions.join(' ')} ` : '';
  const sentence =
    escalatedTo.length > 0
      ? 'This question is still open and was escalated to you.'
      : `Still waiting for an answer (${escapeAndTruncate(reason, 200).text}).`;
  const deadline = question.expiresAt ? ` Answer by ${formatSlackTime(question.expiresAt)}.` : '';
  return {
    text: `${mentionPrefix}${sentence}`,
    blocks: [
      createSection(
        `${mentionPrefix}${sentence}${deadline} ${formatSlackLink(notification.links.web, 'Open in Parley')}`,
      ),
    ],
    metadata: createMessageMetadata('parley_reminder', notification),
  };
}

/** Creates the message with the outcome instead of the buttons. */
export function createResolvedMessage(copy: Omit<ResolvedCopy, 'ref' | 'target' | 'rootConversationId'>): SlackMessage {
  const { question, links } = copy;
  const answerBlocks = createAnswerBlocks(question);
  const comment = question.outcome?.comment;
  const outcome = formatSlackOutcome(question);
  const blocks: KnownBlock[] = [
    ...createHeaderBlocks(copy),
    ...answerBlocks.blocks,
    ...(comment ? [createSection(`*Comment:* ${escapeAndTruncate(comment, MAX_COMMENT_LENGTH).text}`)] : []),
    createContextNote(`${outcome} · ${formatSlackLink(links.web, 'Open in Parley')}`),
  ];
  return {
    text: `${outcome.split(' · ')[0]}: ${createFallbackText(question)}`,
    blocks,
    metadata: createMessageMetadata('parley_question', copy as NotificationContext),
  };
}

function createHeaderBlocks({ title, question }: Pick<NotificationContext, 'title' | 'question'>): KnownBlock[] {
  const lineage = question.origin.length > 0 ? question.origin : [question.agent];
  const asker = escapeAndTruncate(lineage.join(' › '), 500).text;
  const verb = question.confirms ? 'needs your approval' : 'asks';
  return [
    { type: 'header', text: createPlainText(title.trim() || 'A question', MAX_HEADER_LENGTH) },
    createContextNote(`*${asker}* ${verb} · ${formatSlackTime(question.askedAt)}`),
  ];
}

function createFooterBlock({ question, links }: NotificationContext): KnownBlock {
  const deadline = question.expiresAt ? `Answer by ${formatSlackTime(question.expiresAt)}` : 'No deadline';
  return createContextNote(`${deadline} · ${formatSlackLink(links.web, 'Open in Parley')}`);
}

function createFallbackText({ agent, fields }: Question): string {
  return escapeAndTruncate(`${agent} asks: ${truncatePlainText(fields[0]?.question ?? '', MAX_FALLBACK_LENGTH)}`, 2_000)
    .text;
}
