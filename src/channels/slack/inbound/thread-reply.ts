import { createLabelMatcher } from '#channels/match-label';
import { parseSlackQuestionRef } from '#channels/slack/blocks/buttons';
import { decodeTypedText } from '#channels/slack/blocks/text';
import { readNotificationMetadata } from '#channels/slack/find-posted';
import type { AnswerValue, Question, QuestionField } from '#contract/question';
import { parseTextAnswer, validateFieldValue } from '#core/questions/validate-answer';
import { describeSchema } from '#core/schema/describe-schema';
import { isFreeTextSchema } from '#core/schema/validate-value';
import type { SlackMessageEvent } from './payloads';
import type { SlackUser } from './resolve-person';
import { type SlackAnswer, type SlackInboundDeps, type SlackSubmitResult, submitSlackAnswer } from './submit';

const FILE_SUBTYPE = 'file_share';
/** Written by a person: plain, also shown in the channel, or with a file. */
const WRITTEN_SUBTYPES = [undefined, 'thread_broadcast', FILE_SUBTYPE];

/** Returns whether a person wrote the message in a thread. Edits and messages by bots are ignored. */
export function isThreadReply({ subtype, bot_id, user, thread_ts, ts }: SlackMessageEvent): boolean {
  return WRITTEN_SUBTYPES.includes(subtype) && !bot_id && Boolean(user) && thread_ts !== undefined && thread_ts !== ts;
}

/** Handles a reply in a thread. Returns `undefined` if the thread is not about a question. */
export async function processThreadReply(
  { inbound, slack, resolvePerson }: SlackInboundDeps,
  message: SlackMessageEvent,
  user: SlackUser,
): Promise<SlackSubmitResult | undefined> {
  const { channel, thread_ts: ts = '', parent_user_id } = message;
  if (parent_user_id !== undefined && parent_user_id !== (await slack.self()).user) return undefined;
  const { messages = [] } = await slack.web.conversations.replies({
    channel,
    ts,
    limit: 1,
    include_all_metadata: true,
  });
  const parent = messages.find((candidate) => candidate.ts === ts);
  const ref = parseSlackQuestionRef((parent && (await readNotificationMetadata(slack, parent))) ?? {});
  if (!ref) return undefined;
  const person = await resolvePerson(user);
  if (!person) return { kind: 'unknownUser' };
  const text = decodeTypedText(message.text).trim();
  const toAnswer = (question: Question): SlackAnswer => {
    const isBareFile = message.subtype === FILE_SUBTYPE && text === '' && !question.confirms;
    return isBareFile ? { rejection: 'Files are not accepted. Answer with text.' } : interpretReplyText(question, text);
  };
  return submitSlackAnswer(inbound, person, { ...ref, toAnswer });
}

/** Interprets a text as an answer, or says how to answer instead. A text never confirms an action. */
function interpretReplyText(question: Question, text: string): SlackAnswer {
  if (question.confirms) return { rejection: "A reply can't approve an action. Use the buttons on the message above." };
  const [field, ...otherFields] = question.fields;
  if (!field || otherFields.length > 0)
    return { rejection: 'This has several questions. Use “Answer…” on the message above.' };
  if (field.options) return matchNamedChoice(field, text);
  const answer = text === '' ? undefined : parseTextAnswer(question, text);
  if (answer !== undefined) return { answer };
  if (!field.schema) return { rejection: 'Your reply contains no answer.' };
  const issue = isFreeTextSchema(field.schema) ? validateFieldValue(field, text)?.message : undefined;
  const requirement = issue ?? `this needs ${describeSchema(field.schema)}; use “Answer…” on the message above`;
  return { rejection: `Your reply was not accepted as the answer: ${requirement}.` };
}

const OTHER_ANSWER = /^other\s*:\s*(\S.*)$/is;

/**
 * Matches only text that names an option or starts with "Other:". People also talk in threads, so other text chooses
 * nothing.
 */
function matchNamedChoice(field: QuestionField, text: string): SlackAnswer {
  const choice =
    createLabelMatcher((field.options ?? []).map(({ label }) => label))(text) ?? parseOtherAnswer(field, text);
  if (choice !== undefined) return { answer: field.multiSelect ? [choice] : choice };
  const otherHint = field.allowOther ? ', or “Other: ” and your own answer' : '';
  return {
    rejection: `Choose one of the options on the message above, or reply with exactly one of them${otherHint}. Other replies here are ignored.`,
  };
}

function parseOtherAnswer({ allowOther }: QuestionField, text: string): AnswerValue | undefined {
  const other = OTHER_ANSWER.exec(text)?.[1]?.trim();
  return allowOther && other ? { other } : undefined;
}
