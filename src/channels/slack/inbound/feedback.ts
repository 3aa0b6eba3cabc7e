import type { InboundDeps } from '#channels/inbound';
import { createResolvedMessage } from '#channels/slack/blocks/message';
import { escapeMrkdwn, formatSlackOutcome } from '#channels/slack/blocks/text';
import type { SlackClient } from '#channels/slack/client';
import { updateSlackMessage } from '#channels/slack/sender';
import type { SlackUser } from './resolve-person';
import type { SlackSubmitResult } from './submit';

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
export function formatSlackFeedback(result: SlackSubmitResult, { team, user }: SlackUser): string | undefined {
  switch (result.kind) {
    case 'accepted':
      return undefined;
    case 'queued':
      return 'Answer saved. Waiting for a worker to pick it up. It counts unless someone else answered first.';
    case 'alreadyResolved':
      return `Too late: this question is already closed. ${formatSlackOutcome(result.question)}. Your answer was not used.`;
    case 'invalid':
      return `Your answer was not accepted, and the question is still open: ${formatIssues(result)}.`;
    case 'rejected':
    case 'error':
      return escapeMrkdwn(result.message);
    case 'forbidden':
      return `You can't answer this question. ${describeWhoMayAnswer(result.name)}`;
    case 'notFound':
      if (result.name === undefined) return 'This question no longer exists. Your answer was not accepted.';
      return `This question no longer exists, or you can't answer it. ${describeWhoMayAnswer(result.name)}`;
    case 'unknownUser':
      return `You can't answer this question: Parley does not know your Slack account. Ask your administrator to add slack:${team}/${user} to your entry in PARLEY_PEOPLE.`;
  }
}

function describeWhoMayAnswer(name: string): string {
  return `Only the conversation's owner and assignees can. Parley knows you as ${escapeMrkdwn(name)}.`;
}

function formatIssues({ issues }: Extract<SlackSubmitResult, { kind: 'invalid' }>): string {
  return escapeMrkdwn(issues.map(({ message }) => message).join('; ')).slice(0, 1_000);
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
export async function refreshResolvedMessage(
  slack: SlackClient,
  { buildLinks }: Pick<InboundDeps, 'buildLinks'>,
  { channel, ts }: SlackLocation,
  result: SlackSubmitResult,
): Promise<void> {
  if (result.kind !== 'alreadyResolved' || !channel || !ts) return;
  const { question, title } = result;
  const links = buildLinks(question.conversationId);
  await updateSlackMessage(slack, { channel, ts }, createResolvedMessage({ id: '', question, title, links }));
}
