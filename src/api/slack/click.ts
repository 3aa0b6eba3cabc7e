import type { Caller } from '#api/caller';
import type { Context } from '#api/context';
import { type Aim, type Asking, CHOOSE, clickable, DECLINE, OPEN, readAim } from '#channels/slack/buttons';
import { formFor } from '#channels/slack/modal';
import type { Question } from '#contract/question';
import { doIt, findAsked, type Result, refused, type Saying } from './deed';
import type { Parts } from './parts';
import type { Click } from './payloads';
import type { SlackUser } from './person';
import type { Where } from './telling';

export function userOfPayload({ user, team }: Pick<Click, 'user' | 'team'>): SlackUser {
  const { id, username, name, team_id } = user;
  return { user: id, team: team_id ?? team?.id ?? '', username: username ?? name };
}

export function whereOf({ user, channel, container, response_url }: Click): Where {
  return {
    user: user.id,
    channel: channel?.id ?? container?.channel_id,
    ts: container?.message_ts,
    responseUrl: response_url,
  };
}

/** Somebody clicked one of our buttons. Undefined: it was none of ours, or all is done. */
export async function clicked(parts: Parts, click: Click, user: SlackUser): Promise<Result | undefined> {
  const { context, whoIs } = parts;
  const [action] = click.actions;
  const aim = readAim(action?.value ?? '');
  if (!action || !aim) return undefined;
  const caller = await whoIs(user);
  if (!caller) return { kind: 'unknown' };
  if (action.action_id === OPEN) return open(parts, click, caller, aim);
  if (action.action_id === DECLINE) return doIt(context, caller, { ...aim, say: () => ({ declines: true }) });
  if (!action.action_id.startsWith(`${CHOOSE}_`)) return undefined;
  return doIt(context, caller, { ...aim, say: (asked) => chosen(asked, aim.choice) });
}

function chosen(question: Question, choice: number | undefined): Saying {
  const value = clickable(question)?.[choice ?? -1]?.value;
  return value === undefined ? { misfit: 'That button is of no use any more.' } : { answer: value };
}

/** The form, for those who may answer. Slack lets it be opened for three seconds. */
async function open(
  { context, slack }: Parts,
  click: Click,
  caller: Caller,
  { conversation, question, askedAt }: Aim,
): Promise<Result | undefined> {
  const { channel = '', ts = '' } = whereOf(click);
  const found = await openQuestion(context, caller, { conversation, question, askedAt });
  if ('kind' in found) return found;
  const { web } = context.linksOf(conversation);
  const view = formFor(found, { conversation, question, askedAt, channel, ts }, web);
  await slack.web.views.open({ trigger_id: click.trigger_id ?? '', view });
  return undefined;
}

async function openQuestion(context: Context, caller: Caller, asking: Asking): Promise<Question | Result> {
  try {
    const { question, title } = await findAsked(context, caller, asking);
    return question.status === 'pending' ? question : { kind: 'late', question, title };
  } catch (error) {
    return refused(context, caller, error);
  }
}
