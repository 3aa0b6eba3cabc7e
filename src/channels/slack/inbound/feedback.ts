import type { ApiDeps } from '#api/dependencies';
import { createResolvedMessage } from '#channels/slack/blocks/message';
import { escapeMrkdwn, formatSlackOutcome } from '#channels/slack/blocks/text';
import type { SlackClient } from '#channels/slack/client';
import { updateSlackMessage } from '#channels/slack/slack-channel';
import type { SlackUser } from './resolve-principal';
import type { SlackSubmitResult } from './submit';

/** Where somebody did something, for what only they are told. */
export interface SlackLocation {
  user: string;
  channel?: string;
  /** The message they acted on. */
  ts?: string;
  thread?: string;
  responseUrl?: string;
}

/** What to tell somebody of what they did, in Slack's markup; nothing where all is well and they see it. */
export function formatSlackFeedback(result: SlackSubmitResult, { team, user }: SlackUser): string | undefined {
  switch (result.kind) {
    case 'taken':
      return undefined;
    case 'kept':
      return 'Your answer is kept. No worker of Parley has acted on it yet: it counts as soon as one is up, unless somebody else’s came first.';
    case 'late':
      return `Too late: this question is settled. ${formatSlackOutcome(result.question)}. What you did changed nothing.`;
    case 'invalid':
      return `That was not taken, and the question is still open: ${formatIssues(result)}.`;
    case 'misfit':
    case 'trouble':
      return escapeMrkdwn(result.words);
    case 'forbidden':
      return `This is not yours to answer: ${describeWhoMayAnswer(result.name)}`;
    case 'gone':
      if (result.name === undefined) return 'This question is not there any more: nothing was taken.';
      return `It is not there any more, or not yours to answer: ${describeWhoMayAnswer(result.name)}`;
    case 'unknown':
      return `This is not yours to answer: Parley does not know you. Ask whoever runs it to add slack:${team}/${user} to you in PARLEY_PEOPLE.`;
  }
}

function describeWhoMayAnswer(name: string): string {
  return `it is for the owner of the conversation and for those it is assigned to. Parley knows you as ${escapeMrkdwn(name)}.`;
}

function formatIssues({ faults }: Extract<SlackSubmitResult, { kind: 'invalid' }>): string {
  return escapeMrkdwn(faults.map(({ message }) => message).join('; ')).slice(0, 1_000);
}

const FEEDBACK_TIMEOUT_MS = 5_000;

/** Tell only them. A response URL works also where the bot is no member. */
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

/** Nothing is sent elsewhere, whatever a payload says. */
function isSlackUrl(url: string, apiUrl: string | undefined): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, origin } = new URL(url);
  if (apiUrl && origin === new URL(apiUrl).origin) return true;
  return protocol === 'https:' && /(^|\.)slack(-gov)?\.com$/.test(hostname);
}

/** A message that still has its buttons although the question is settled. */
export async function refreshResolvedMessage(
  slack: SlackClient,
  { linksOf }: Pick<ApiDeps, 'linksOf'>,
  { channel, ts }: SlackLocation,
  result: SlackSubmitResult,
): Promise<void> {
  if (result.kind !== 'late' || !channel || !ts) return;
  const { question, title } = result;
  const links = linksOf(question.conversationId);
  await updateSlackMessage(slack, { channel, ts }, createResolvedMessage({ id: '', question, title, links }));
}
