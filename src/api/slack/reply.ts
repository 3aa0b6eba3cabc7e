import { noticeOf } from '../../channels/slack/earlier';
import { typedText } from '../../channels/slack/words';
import type { Question } from '../../contract/question';
import { answerOfText, checkValue } from '../../core/answers';
import { isFreeText, wordsFor } from '../../core/value-schema';
import { doIt, type Result, type Saying } from './deed';
import type { Parts } from './parts';
import type { Message } from './payloads';
import type { SlackUser } from './person';

/** A person wrote it, as it stands, in a thread. Edits and what programs write is none of ours. */
export function isReply({ subtype, bot_id, user, thread_ts, ts }: Message): boolean {
  return subtype === undefined && !bot_id && Boolean(user) && thread_ts !== undefined && thread_ts !== ts;
}

/** Somebody replied in a thread. Undefined: it is not about a question of ours. */
export async function replied(
  { context, slack, whoIs }: Parts,
  message: Message,
  user: SlackUser,
): Promise<Result | undefined> {
  const { channel, thread_ts: ts = '', parent_user_id } = message;
  if (parent_user_id !== undefined && parent_user_id !== (await slack.self()).user) return undefined;
  const { messages = [] } = await slack.web.conversations.replies({
    channel,
    ts,
    limit: 1,
    include_all_metadata: true,
  });
  const parent = messages.find((one) => one.ts === ts);
  const { conversation, question } = (parent && (await noticeOf(slack, parent))) ?? {};
  if (typeof conversation !== 'string' || typeof question !== 'string') return undefined;
  const caller = await whoIs(user);
  if (!caller) return { kind: 'unknown' };
  const text = typedText(message.text).trim();
  return doIt(context, caller, { conversation, question, say: (asked) => said(asked, text) });
}

/** What a text makes as an answer; how to answer instead where it makes none. It never confirms anything. */
function said(question: Question, text: string): Saying {
  if (question.confirms)
    return { misfit: 'A reply confirms nothing, and nothing happened. Use the buttons of the message.' };
  const answer = text === '' ? undefined : answerOfText(question, text);
  if (answer !== undefined) return { answer };
  const [field, ...more] = question.fields;
  if (!field || more.length > 0)
    return { misfit: 'This asks for several things at once: use “Answer…” on the message above.' };
  if (!field.schema) return { misfit: 'Choose one of the options: use the buttons of the message above.' };
  const fault = isFreeText(field.schema) ? checkValue(field, text)?.message : undefined;
  const needed = fault ?? `this needs ${wordsFor(field.schema)}, from “Answer…” on the message above`;
  return { misfit: `Your reply was not taken as the answer: ${needed}.` };
}
