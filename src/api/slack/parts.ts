import type { Context } from '#api/context';
import type { Slack } from '#channels/slack/client';
import type { SlackSettings } from '#contract/channel-settings';
import type { WhoIs } from './person';

/** What the doors for Slack work with. */
export interface Parts {
  context: Context;
  settings: SlackSettings;
  slack: Slack;
  whoIs: WhoIs;
  /** True the first time it is asked of something. */
  isNew(what: string): boolean;
}

const REMEMBERED = 1_000;

export function newOnes(): Parts['isNew'] {
  const seen = new Set<string>();
  return (what) => {
    if (seen.has(what)) return false;
    if (seen.size >= REMEMBERED) seen.clear();
    seen.add(what);
    return true;
  };
}
