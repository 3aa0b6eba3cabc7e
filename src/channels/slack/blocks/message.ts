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

/** What the message is, without where it goes. */
export interface SlackMessage {
  /** For notifications, and for whoever cannot see blocks. */
  text: string;
  blocks: KnownBlock[];
  metadata: { event_type: string; event_payload: Record<string, string> };
}

export const QUESTION_EVENT_TYPE = 'parley_question';
export const REMINDER_EVENT_TYPE = 'parley_reminder';

const MAX_CONTEXT_LENGTH = 2_900;
const MAX_COMMENT_LENGTH = 1_500;
const MAX_HEADER_LENGTH = 150;
const MAX_FALLBACK_LENGTH = 300;

/** What a message is found by later: by us when it may have been sent before, and when somebody replies to it. */
export function createMessageMetadata(
  event_type: string,
  { id, question }: NotificationContext,
): SlackMessage['metadata'] {
  const { conversationId: conversation, askedAt } = question;
  return { event_type, event_payload: { conversation, question: question.id, askedAt, notice: id } };
}

/** The question, with buttons. `mentions` are those it is escalated to. */
export function createQuestionMessage(notice: OutgoingNotification, mentions: string[]): SlackMessage {
  const { question, links } = notice;
  const context = markdownToMrkdwn(
    contextWithoutArguments(question.context, question.confirms) ?? '',
    MAX_CONTEXT_LENGTH,
  );
  const asked = createFieldBlocks(question, hasCompleteLabels(listButtonChoices(question)));
  const { blocks: given, isWhole } = createActionBlocks(question);
  const isCut = context.isCut || asked.isCut;
  const blocks: KnownBlock[] = [
    ...createHeaderBlocks(notice),
    ...(mentions.length > 0 ? [createSection(`Escalated to ${mentions.join(', ')}`)] : []),
    ...(context.text ? [createSection(context.text)] : []),
    ...given,
    ...asked.blocks,
    ...(isCut ? [createContextNote(`Shortened here: ${formatSlackLink(links.web, 'read the whole question')}`)] : []),
    ...(isWhole
      ? []
      : [
          createContextNote(`The arguments are too long for Slack. ${formatSlackLink(links.web, 'Say yes in Parley')}`),
        ]),
    createAnswerButtons(question),
    createFooterBlock(notice),
  ];
  return {
    text: createFallbackText(question),
    blocks,
    metadata: createMessageMetadata(QUESTION_EVENT_TYPE, notice),
  };
}

/** A few words in the thread of the first copy, which has the buttons. */
export function createReminderMessage(notice: OutgoingNotification, mentions: string[]): SlackMessage {
  const { question, what, to } = notice;
  const who = mentions.length > 0 ? `${mentions.join(' ')} ` : '';
  const words =
    to.length > 0
      ? 'This question is still open, and yours to answer now.'
      : `Still waiting for an answer (${escapeAndTruncate(what, 200).text}).`;
  const until = question.expiresAt ? ` Answer by ${formatSlackTime(question.expiresAt)}.` : '';
  return {
    text: `${who}${words}`,
    blocks: [createSection(`${who}${words}${until} ${formatSlackLink(notice.links.web, 'Open in Parley')}`)],
    metadata: createMessageMetadata(REMINDER_EVENT_TYPE, notice),
  };
}

/** What became of it, in place of the buttons. */
export function createResolvedMessage(subject: Omit<ResolvedCopy, 'ref' | 'place' | 'root'>): SlackMessage {
  const { question, links } = subject;
  const answered = createAnswerBlocks(question);
  const comment = question.outcome?.comment;
  const words = formatSlackOutcome(question);
  const blocks: KnownBlock[] = [
    ...createHeaderBlocks(subject),
    ...answered.blocks,
    ...(comment ? [createSection(`*Comment:* ${escapeAndTruncate(comment, MAX_COMMENT_LENGTH).text}`)] : []),
    createContextNote(`${words} · ${formatSlackLink(links.web, 'Open in Parley')}`),
  ];
  return {
    text: `${words.split(' · ')[0]}: ${createFallbackText(question)}`,
    blocks,
    metadata: createMessageMetadata(QUESTION_EVENT_TYPE, subject as NotificationContext),
  };
}

function createHeaderBlocks({ title, question }: Pick<NotificationContext, 'title' | 'question'>): KnownBlock[] {
  const lineage = question.origin.length > 0 ? question.origin : [question.agent];
  const who = escapeAndTruncate(lineage.join(' › '), 500).text;
  const does = question.confirms ? 'asks for your consent' : 'asks';
  return [
    { type: 'header', text: createPlainText(title.trim() || 'A question', MAX_HEADER_LENGTH) },
    createContextNote(`*${who}* ${does} · ${formatSlackTime(question.askedAt)}`),
  ];
}

function createFooterBlock({ question, links }: NotificationContext): KnownBlock {
  const until = question.expiresAt ? `Answer by ${formatSlackTime(question.expiresAt)}` : 'No deadline';
  return createContextNote(`${until} · ${formatSlackLink(links.web, 'Open in Parley')}`);
}

function createFallbackText({ agent, fields }: Question): string {
  return escapeAndTruncate(`${agent} asks: ${truncatePlainText(fields[0]?.question ?? '', MAX_FALLBACK_LENGTH)}`, 2_000)
    .text;
}
