import { readAsking } from '#channels/slack/buttons';
import { noticeOf } from '#channels/slack/earlier';
import { typedText } from '#channels/slack/words';
import type { Question } from '#contract/question';
import { answerOfText, checkValue } from '#core/answers';
import { isFreeText, wordsFor } from '#core/value-schema';
import { doIt, type Result, type Saying } from './deed';
import { namedChoice } from './named-choice';
import type { Parts } from './parts';
import type { Message } from './payloads';
import type { SlackUser } from './person';

const FILE = 'file_share';
/** Shown in the channel, too; or with a file. */
const WRITTEN = [undefined, 'thread_broadcast', FILE];

/** A person wrote it, as it stands, in a thread. Edits and what programs write is none of ours. */
export function isReply({ subtype, bot_id, user, thread_ts, ts }: Message): boolean {
  return WRITTEN.includes(subtype) && !bot_id && Boolean(user) && thread_ts !== undefined && thread_ts !== ts;
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
  const asking = readAsking((parent && (await noticeOf(slack, parent))) ?? {});
  if (!asking) return undefined;
  const caller = await whoIs(user);
  if (!caller) return { kind: 'unknown' };
  const text = typedText(message.text).trim();
  const say = (asked: Question): Saying => {
    const isBareFile = message.subtype === FILE && text === '' && !asked.confirms;
    return isBareFile ? { misfit: 'Files are not taken: answer in words.' } : said(asked, text);
  };
  return doIt(context, caller, { ...asking, say });
}

/** What a text makes as an answer; how to answer instead where it makes none. It never confirms anything. */
function said(question: Question, text: string): Saying {
  if (question.confirms)
    return { misfit: 'A reply confirms nothing, and nothing happened. Use the buttons of the message.' };
  const [field, ...more] = question.fields;
  if (!field || more.length > 0)
    return { misfit: 'This asks for several things at once: use “Answer…” on the message above.' };
  if (field.options) return namedChoice(field, text);
  const answer = text === '' ? undefined : answerOfText(question, text);
  if (answer !== undefined) return { answer };
  if (!field.schema) return { misfit: 'There was nothing in your reply to take as the answer.' };
  const fault = isFreeText(field.schema) ? checkValue(field, text)?.message : undefined;
  const needed = fault ?? `this needs ${wordsFor(field.schema)}, from “Answer…” on the message above`;
  return { misfit: `Your reply was not taken as the answer: ${needed}.` };
}
