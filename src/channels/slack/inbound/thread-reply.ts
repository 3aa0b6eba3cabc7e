import type { Response } from 'express';
import { InboundError } from '#channels/inbound';
import { createLabelMatcher } from '#channels/match-label';
import { parseSlackQuestionRef } from '#channels/slack/blocks/buttons';
import { decodeTypedText } from '#channels/slack/blocks/text';
import { readNotificationMetadata } from '#channels/slack/find-posted';
import type { AnswerValue, Question, QuestionField } from '#contract/question';
import { parseTextAnswer, validateFieldValue } from '#core/questions/validate-answer';
import { describeSchema } from '#core/schema/describe-schema';
import { isFreeTextSchema } from '#core/schema/validate-value';
import { runWithinAckDeadline } from './feedback';
import type { SlackMessageEvent } from './payloads';
import type { SlackUser } from './resolve-person';
import { type SlackAnswer, type SlackInboundDeps, type SlackResult, submitSlackAnswer } from './submit';

const FILE_SUBTYPE = 'file_share';
/** Written by a person: plain, also shown in the channel, or with a file. */
const WRITTEN_SUBTYPES = [undefined, 'thread_broadcast', FILE_SUBTYPE];

const STILL_RUNNING = 'Parley is slow right now.';
const RETRIED_BY_SLACK =
  'Parley cannot process your reply right now. Slack retries for a few minutes. If the question above is still open after that, reply again.';

/**
 * Handles a message that a person wrote in a thread; edits and messages by bots are ignored. Does not acknowledge a reply
 * until Temporal has it, so that Slack sends it again; repeats are harmless.
 */
export async function handleThreadReply(
  deps: SlackInboundDeps,
  message: SlackMessageEvent,
  team: string,
  response: Response,
): Promise<void> {
  const { subtype, bot_id, channel, user: id, ts, thread_ts: thread } = message;
  const isWritten = WRITTEN_SUBTYPES.includes(subtype) && !bot_id;
  if (!isWritten || !id || thread === undefined || thread === ts) return void response.end();
  const user = { user: id, team: message.user_team ?? message.team ?? team };
  // People talk in threads, and Slack repeats deliveries: each person gets the same feedback once.
  const isNew = (text: string) => deps.isNew(JSON.stringify([channel, thread, id, text]));
  const work = submitThreadReply(deps, message, thread, user);
  const { settled, report } = await runWithinAckDeadline(deps, user, work);
  report({ user: id, channel, ts: thread, thread }, isNew);
  if (!settled) throw new InboundError('temporal_unavailable', STILL_RUNNING);
  if (isTemporalDown(settled.result)) throw new InboundError('temporal_unavailable', RETRIED_BY_SLACK);
  response.end();
}

/** Submits the reply. Returns `undefined` if the thread is not about a question. */
async function submitThreadReply(
  deps: SlackInboundDeps,
  { channel, parent_user_id, text: typed, subtype }: SlackMessageEvent,
  ts: string,
  user: SlackUser,
): Promise<SlackResult | undefined> {
  const { slack } = deps;
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
  const text = decodeTypedText(typed).trim();
  const toAnswer = (question: Question): SlackAnswer => {
    const isBareFile = subtype === FILE_SUBTYPE && text === '' && !question.confirms;
    return isBareFile ? { rejection: 'Files are not accepted. Answer with text.' } : interpretReplyText(question, text);
  };
  const result = await submitSlackAnswer(deps, user, { ...ref, toAnswer });
  return isTemporalDown(result) ? { ...result, detail: RETRIED_BY_SLACK } : result;
}

function isTemporalDown(result: SlackResult | undefined): result is Extract<SlackResult, { code: string }> {
  return result !== undefined && 'code' in result && result.code === 'temporal_unavailable';
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
