import { ChannelError } from '#channels/channel';
import type { InboundDeps } from '#channels/inbound';
import { createResolvedMessage } from '#channels/slack/blocks/message';
import { escapeMrkdwn, formatSlackOutcome } from '#channels/slack/blocks/text';
import type { SlackClient } from '#channels/slack/client';
import { toSlackChannelError } from '#channels/slack/errors';
import { updateSlackMessage } from '#channels/slack/sender';
import { withTimeout } from '#infra/with-timeout';
import type { SlackUser } from './resolve-person';
import type { SlackInboundDeps, SlackResult } from './submit';

/** Where a user acted, for feedback that only they see. */
export interface SlackLocation {
  user: string;
  channel?: string;
  /** The message they acted on. */
  ts?: string;
  thread?: string;
  responseUrl?: string;
}

/** Formats feedback on a result in Slack's markup; `undefined` for success, which the message itself shows. */
export function formatSlackFeedback(result: SlackResult, { team, user }: SlackUser): string | undefined {
  const person = escapeMrkdwn(result.person ?? '');
  const whoMayAnswer = `Only the conversation's owner and assignees can. Parley knows you as ${person}.`;
  switch (result.status) {
    case 'accepted':
      return undefined;
    case 'queued':
      return 'Answer saved. Waiting for a worker to pick it up. It counts unless someone else answered first.';
    case 'alreadyResolved':
      return `Too late: this question is already closed. ${formatSlackOutcome(result.question)}. Your answer was not used.`;
    case 'invalid': {
      const issues = escapeMrkdwn(result.issues.map(({ message }) => message).join('; ')).slice(0, 1_000);
      return `Your answer was not accepted, and the question is still open: ${issues}.`;
    }
    case 'forbidden':
      return `You can't answer this question. ${whoMayAnswer}`;
    case 'questionNotFound':
      return 'This question no longer exists. Your answer was not accepted.';
    case 'conversationNotFound':
      return `This question no longer exists, or you can't answer it. ${whoMayAnswer}`;
    case 'unknownUser':
      return `You can't answer this question: Parley does not know your Slack account. Ask your administrator to add slack:${team}/${user} to your entry in PARLEY_PEOPLE.`;
    default:
      return escapeMrkdwn(result.detail);
  }
}

/** Slack waits for three seconds, including the network round trip. */
const ACK_DEADLINE_MS = 2_500;

/**
 * Waits for the result of the work until Slack has to be answered; `settled` is undefined if that takes longer, and the
 * work continues. `report` sends feedback once the work is done.
 */
export async function runWithinAckDeadline(
  deps: SlackInboundDeps,
  user: SlackUser,
  work: Promise<SlackResult | undefined>,
) {
  const { inbound, slack, settings } = deps;
  const done = work.catch((error: unknown) => toFailedResult(deps, error));
  const outcome: Promise<{ result: SlackResult | undefined } | undefined> = done.then((result) => ({ result }));
  const settled = await withTimeout(outcome, ACK_DEADLINE_MS, () => undefined);
  const sendFeedback = async (location: SlackLocation, shouldSend: (text: string) => boolean) => {
    const result = await done;
    const text = result && formatSlackFeedback(result, user);
    if (text && shouldSend(text)) await sendSlackFeedback(slack, settings.apiUrl, location, text);
    if (result) await refreshResolvedMessage(slack, inbound, location, result);
  };
  const report = (location: SlackLocation, shouldSend: (text: string) => boolean = () => true): void => {
    sendFeedback(location, shouldSend).catch((error: unknown) => {
      const failure = toSlackChannelError(error, 'them', slack.host).message;
      inbound.log.warn({ failure }, 'could not send feedback in Slack');
    });
  };
  return { settled, report };
}

/** Turns an error into a result: everything has to be reported in Slack. */
function toFailedResult({ inbound, slack }: SlackInboundDeps, error: unknown): SlackResult {
  const channelError = toSlackChannelError(error, 'you', slack.host);
  const { name, message } = channelError;
  if (!(channelError instanceof ChannelError)) {
    inbound.log.error({ failure: `${name}: ${message}` }, 'Slack answer failed');
    const detail = 'Something went wrong, and the error was logged. Answer in the web app instead.';
    return { status: 'failed', detail };
  }
  inbound.log.warn({ failure: message }, 'request to Slack failed');
  const detail = `Your answer was not accepted, because a request to Slack failed. ${message} Try again.`;
  return { status: 'failed', detail };
}

const FEEDBACK_TIMEOUT_MS = 5_000;

/** Sends a message that only this user sees. A response URL works even where the bot is not a member. */
export async function sendSlackFeedback(
  slack: SlackClient,
  apiUrl: string | undefined,
  { user, channel, thread, responseUrl }: SlackLocation,
  text: string,
): Promise<void> {
  if (responseUrl && isSlackUrl(responseUrl, apiUrl)) {
    const { ok } = await fetch(responseUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ response_type: 'ephemeral', replace_original: false, text }),
      redirect: 'error',
      signal: AbortSignal.timeout(FEEDBACK_TIMEOUT_MS),
    });
    if (ok) return;
  }
  if (!channel) return;
  await slack.web.chat.postEphemeral({ channel, user, text, ...(thread ? { thread_ts: thread } : {}) });
}

/** Returns whether the URL is Slack's, so that a payload cannot make Parley post elsewhere. */
function isSlackUrl(url: string, apiUrl: string | undefined): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, origin } = new URL(url);
  if (apiUrl && origin === new URL(apiUrl).origin) return true;
  return protocol === 'https:' && /(^|\.)slack(-gov)?\.com$/.test(hostname);
}

/** Updates a message that still has its buttons although the question is resolved. */
async function refreshResolvedMessage(
  slack: SlackClient,
  { buildLinks }: Pick<InboundDeps, 'buildLinks'>,
  { channel, ts }: SlackLocation,
  result: SlackResult,
): Promise<void> {
  if (result.status !== 'alreadyResolved' || !channel || !ts) return;
  const { question, title = '' } = result;
  const links = buildLinks(question.conversationId);
  await updateSlackMessage(slack, { channel, ts }, createResolvedMessage({ id: '', question, title, links }));
}
