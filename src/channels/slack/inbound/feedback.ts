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
      return 'Your answer is kept. No worker of Parley has acted on it yet: it counts as soon as one is up, unless somebody else’s came first.';
    case 'alreadyResolved':
      return `Too late: this question is settled. ${formatSlackOutcome(result.question)}. What you did changed nothing.`;
    case 'invalid':
      return `That was not taken, and the question is still open: ${formatIssues(result)}.`;
    case 'rejected':
    case 'error':
      return escapeMrkdwn(result.message);
    case 'forbidden':
      return `This is not yours to answer: ${describeWhoMayAnswer(result.name)}`;
    case 'notFound':
      if (result.name === undefined) return 'This question is not there any more: nothing was taken.';
      return `It is not there any more, or not yours to answer: ${describeWhoMayAnswer(result.name)}`;
    case 'unknownUser':
      return `This is not yours to answer: Parley does not know you. Ask whoever runs it to add slack:${team}/${user} to you in PARLEY_PEOPLE.`;
  }
}

function describeWhoMayAnswer(name: string): string {
  return `it is for the owner of the conversation and for those it is assigned to. Parley knows you as ${escapeMrkdwn(name)}.`;
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
