import { createHmac, randomBytes } from 'node:crypto';
import { SlackModalSchema } from './block-kit';
import type { FakeSlack } from './fake-slack';
import {
  type FakeSlackInput,
  type FakeSlackMessage,
  type FakeSlackOption,
  type FakeSlackView,
  nextSlackTimestamp,
} from './web-api-methods';

export interface SlackHttpResponse {
  status: number;
  body: string;
}

/** Requests that Slack sends for users' actions, signed like Slack's. */
export interface SlackUserActions {
  click(message: FakeSlackMessage, button: string, who?: SlackActor): Promise<SlackHttpResponse>;
  /** Fills the form and submits it. Other inputs keep their initial values. */
  submit(view: FakeSlackView, filled: Record<string, SlackFieldInput>, who?: SlackActor): Promise<SlackFormResponse>;
  reply(message: FakeSlackMessage, text: string, who?: SlackActor & SlackReplyOverrides): Promise<SlackHttpResponse>;
  send(route: string, body: string, type: string, headers?: Record<string, string>): Promise<SlackHttpResponse>;
}
export type SlackFieldInput = string | number | string[];
export interface SlackActor {
  user?: string;
  team?: string;
}
export interface SlackReplyOverrides {
  event?: object;
  ts?: string;
  headers?: Record<string, string>;
}
export interface SlackFormResponse extends SlackHttpResponse {
  action: { response_action?: string; errors?: Record<string, string>; view?: FakeSlackView };
}

const FORM = 'application/x-www-form-urlencoded';

export function signSlackRequest(secret: string, timestamp: string, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
}

export function createSlackUserActions(slack: FakeSlack, parley: string): SlackUserActions {
  const userOf = ({ user = 'U0MARIA', team = slack.team }: SlackActor) => {
    const { name = 'somebody' } = slack.users.find(({ id }) => id === user) ?? {};
    return { id: user, username: name, name, team_id: team };
  };
  const app = { api_app_id: 'A0PARLEY', token: 'unused' };
  const team = { id: slack.team, domain: 'example' };

  const send: SlackUserActions['send'] = async (route, body, type, headers = {}) => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const response = await fetch(`${parley}${route}`, {
      method: 'POST',
      body,
      headers: {
        'content-type': type,
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': signSlackRequest(slack.signingSecret, timestamp, body),
        ...headers,
      },
    });
    return { status: response.status, body: await response.text() };
  };
  const interact = (payload: object) =>
    send('/slack/interactions', new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), FORM);
  const trigger = () => {
    const id = `${nextSlackTimestamp()}.${randomBytes(8).toString('hex')}`;
    slack.triggers.add(id);
    return id;
  };

  return {
    send,
    click(message, text, who = {}) {
      const user = userOf(who);
      const block = message.blocks.find(({ type }) => type === 'actions');
      const button = block?.elements?.find((one) => one.text.text === text);
      if (!button) throw new Error(`there is no button ${text} on ${JSON.stringify(message.blocks)}`);
      const { channel, ts } = message;
      return interact({
        type: 'block_actions',
        user,
        ...app,
        container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false },
        trigger_id: trigger(),
        team,
        enterprise: null,
        is_enterprise_install: false,
        channel: { id: channel, name: 'ops' },
        message: { type: 'message', ...message, channel: undefined },
        state: { values: {} },
        response_url: slack.responseUrl(channel, user.id),
        actions: [
          {
            action_id: button.action_id,
            block_id: block?.block_id,
            text: button.text,
            value: button.value,
            type: 'button',
            action_ts: nextSlackTimestamp(),
          },
        ],
      });
    },
    async submit(view, filled, who = {}) {
      const response = await interact({
        type: 'view_submission',
        team,
        user: userOf(who),
        ...app,
        trigger_id: trigger(),
        view: {
          ...view,
          team_id: slack.team,
          hash: nextSlackTimestamp(),
          state: { values: formStateOf(view, filled) },
        },
        response_urls: [],
        is_enterprise_install: false,
        enterprise: null,
      });
      const action = response.body ? JSON.parse(response.body) : {};
      checkAction(view, action);
      return { ...response, action };
    },
    reply(message, text, { event = {}, ts = nextSlackTimestamp(), headers = {}, ...who } = {}) {
      const { id: user, team_id } = userOf(who);
      const body = JSON.stringify({
        ...app,
        team_id: slack.team,
        context_team_id: slack.team,
        event: {
          user,
          type: 'message',
          ts,
          client_msg_id: randomBytes(8).toString('hex'),
          text,
          team: team_id,
          thread_ts: message.ts,
          parent_user_id: slack.bot.user,
          channel: message.channel,
          event_ts: ts,
          channel_type: 'channel',
          ...event,
        },
        type: 'event_callback',
        event_id: `Ev${ts}`,
        event_time: Math.floor(Date.now() / 1_000),
        authorizations: [{ enterprise_id: null, team_id: slack.team, user_id: slack.bot.user, is_bot: true }],
        is_ext_shared_channel: false,
      });
      return send('/slack/events', body, 'application/json', headers);
    },
  };
}

/** Validates Parley's reply like Slack does, which rejects anything unknown. */
function checkAction(view: FakeSlackView, action: SlackFormResponse['action']): void {
  if (action.view) SlackModalSchema.parse(action.view);
  for (const id of Object.keys(action.errors ?? {}))
    if (!view.blocks.some(({ block_id, type }) => block_id === id && type === 'input'))
      throw new Error(`there is no input ${id} to show a fault at`);
}

/** Returns the state of a form as Slack sends it. Like Slack, rejects a form with missing inputs. */
function formStateOf(view: FakeSlackView, filled: Record<string, SlackFieldInput>) {
  const values: Record<string, Record<string, object>> = {};
  for (const { type, block_id = '', optional, element } of view.blocks) {
    if (type !== 'input' || !element) continue;
    const state = inputStateOf(element, filled[block_id]);
    const isEmpty = Object.values(state).every((one) => one === null || (one as unknown[]).length === 0);
    if (isEmpty && !optional) throw new Error(`Slack asks to fill in ${block_id} first`);
    values[block_id] = { [String(element.action_id)]: { type: element.type, ...state } };
  }
  const unknown = Object.keys(filled).filter((id) => !values[id]);
  if (unknown.length > 0) throw new Error(`there are no inputs ${unknown.join(', ')}`);
  return values;
}

function inputStateOf(
  element: NonNullable<FakeSlackInput['element']>,
  input: SlackFieldInput | undefined,
): Record<string, unknown> {
  const findOption = (label: unknown): FakeSlackOption => {
    const option = element.options?.find(({ text }) => text.text === label);
    if (!option) throw new Error(`there is no option ${label} in ${JSON.stringify(element.options)}`);
    return option;
  };
  switch (element.type) {
    case 'radio_buttons':
    case 'static_select':
      return { selected_option: input === undefined ? (element.initial_option ?? null) : findOption(input) };
    case 'checkboxes':
    case 'multi_static_select':
      return {
        selected_options: Array.isArray(input) ? input.map(findOption) : (element.initial_options ?? []),
      };
    case 'datepicker':
      return { selected_date: input ?? element.initial_date ?? null };
    case 'datetimepicker':
      return { selected_date_time: input ?? element.initial_date_time ?? null };
    default:
      return { value: input === undefined ? (element.initial_value ?? null) : String(input) };
  }
}
