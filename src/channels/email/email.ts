import type { EmailSettings } from '../../contract/channel-settings';
import type { Person } from '../../contract/people';
import type { Channel } from '../channel';

export function emailChannel(_settings: EmailSettings, _people: readonly Person[], _secret: string): Channel {
  throw new Error('not built');
}
