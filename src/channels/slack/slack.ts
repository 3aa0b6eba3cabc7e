import type { SlackSettings } from '../../contract/channel-settings';
import type { Person } from '../../contract/people';
import type { Channel } from '../channel';

export function slackChannel(_settings: SlackSettings, _people: readonly Person[]): Channel {
  throw new Error('not built');
}
