import type { KnownBlock } from '@slack/types';
import type { Copy, Outgoing, Subject } from '#channels/channel';
import type { Question } from '#contract/question';
import { contextBeside } from '#core/shown-action';
import { buttonsFor, clickable, sayAll } from './buttons';
import { shownAction } from './confirming';
import { answeredFields, askedFields } from './fields';
import { mrkdwn } from './markdown';
import { fitted, link, moment, note, plain, section, settledWords, shortened } from './words';

/** What the message is, without where it goes. */
export interface Message {
  /** For notifications, and for whoever cannot see blocks. */
  text: string;
  blocks: KnownBlock[];
  metadata: { event_type: string; event_payload: Record<string, string> };
}

export const QUESTION = 'parley_question';
export const REMINDER = 'parley_reminder';

const CONTEXT_LENGTH = 2_900;
const COMMENT_LENGTH = 1_500;
const HEADER_LENGTH = 150;
const TEXT_LENGTH = 300;

/** What a message is found by later: by us when it may have been sent before, and when somebody replies to it. */
export function metadataOf(event_type: string, { id, question }: Subject): Message['metadata'] {
  const { conversationId: conversation, askedAt } = question;
  return { event_type, event_payload: { conversation, question: question.id, askedAt, notice: id } };
}

/** The question, with buttons. `mentions` are those it is escalated to. */
export function askedMessage(notice: Outgoing, mentions: string[]): Message {
  const { question, links } = notice;
  const context = mrkdwn(contextBeside(question.context, question.confirms) ?? '', CONTEXT_LENGTH);
  const asked = askedFields(question, sayAll(clickable(question)));
  const { blocks: given, isWhole } = shownAction(question);
  const isCut = context.isCut || asked.isCut;
  const blocks: KnownBlock[] = [
    ...top(notice),
    ...(mentions.length > 0 ? [section(`Escalated to ${mentions.join(', ')}`)] : []),
    ...(context.text ? [section(context.text)] : []),
    ...given,
    ...asked.blocks,
    ...(isCut ? [note(`Shortened here: ${link(links.web, 'read the whole question')}`)] : []),
    ...(isWhole
      ? []
      : [note(`The arguments are too long for Slack. ${link(links.web, 'Say yes in Parley')}`)]),
    buttonsFor(question),
    foot(notice),
  ];
  return { text: fallback(question), blocks, metadata: metadataOf(QUESTION, notice) };
}

/** A few words in the thread of the first copy, which has the buttons. */
export function reminderMessage(notice: Outgoing, mentions: string[]): Message {
  const { question, what, to } = notice;
  const who = mentions.length > 0 ? `${mentions.join(' ')} ` : '';
  const words =
    to.length > 0
      ? 'This question is still open, and yours to answer now.'
      : `Still waiting for an answer (${fitted(what, 200).text}).`;
  const until = question.expiresAt ? ` Answer by ${moment(question.expiresAt)}.` : '';
  return {
    text: `${who}${words}`,
    blocks: [section(`${who}${words}${until} ${link(notice.links.web, 'Open in Parley')}`)],
    metadata: metadataOf(REMINDER, notice),
  };
}

/** What became of it, in place of the buttons. */
export function settledMessage(subject: Omit<Copy, 'ref' | 'place' | 'root'>): Message {
  const { question, links } = subject;
  const answered = answeredFields(question);
  const comment = question.outcome?.comment;
  const words = settledWords(question);
  const blocks: KnownBlock[] = [
    ...top(subject),
    ...answered.blocks,
    ...(comment ? [section(`*Comment:* ${fitted(comment, COMMENT_LENGTH).text}`)] : []),
    note(`${words} · ${link(links.web, 'Open in Parley')}`),
  ];
  return {
    text: `${words.split(' · ')[0]}: ${fallback(question)}`,
    blocks,
    metadata: metadataOf(QUESTION, subject as Subject),
  };
}

function top({ title, question }: Pick<Subject, 'title' | 'question'>): KnownBlock[] {
  const lineage = question.origin.length > 0 ? question.origin : [question.agent];
  const who = fitted(lineage.join(' › '), 500).text;
  const does = question.confirms ? 'asks for your consent' : 'asks';
  return [
    { type: 'header', text: plain(title.trim() || 'A question', HEADER_LENGTH) },
    note(`*${who}* ${does} · ${moment(question.askedAt)}`),
  ];
}

function foot({ question, links }: Subject): KnownBlock {
  const until = question.expiresAt ? `Answer by ${moment(question.expiresAt)}` : 'No deadline';
  return note(`${until} · ${link(links.web, 'Open in Parley')}`);
}

function fallback({ agent, fields }: Question): string {
  return fitted(`${agent} asks: ${shortened(fields[0]?.question ?? '', TEXT_LENGTH)}`, 2_000).text;
}
