import { type Caller, isAdmin } from '#api/caller';
import type { Context } from '#api/context';
import type { Slack } from '#channels/slack/client';
import { personByEmail, personBySlack } from '#core/people';

/** A Slack user, as what they did says. */
export interface SlackUser {
  /** That of the user, which is not the bot's where a channel is shared between companies. */
  team: string;
  user: string;
  username?: string;
}

/** As much of what Slack knows of a user as is asked. */
interface Profile {
  name?: string;
  team_id?: string;
  deleted?: boolean;
  is_bot?: boolean;
  is_stranger?: boolean;
  is_restricted?: boolean;
  is_ultra_restricted?: boolean;
  is_email_confirmed?: boolean;
  profile?: { email?: string };
}

export type WhoIs = (user: SlackUser) => Promise<Caller | undefined>;

const KEPT_MS = 5 * 60_000;
const KEPT_USERS = 1_000;

/**
 * Who somebody in Slack is to Parley: whom the directory says, else the person with their address, which has to be
 * confirmed, and of the bot's own workspace: a guest or another company can have any. Nobody otherwise.
 */
export function knowing(
  slack: Slack,
  { channels, callerNamed, now }: Pick<Context, 'channels' | 'callerNamed' | 'now'>,
): WhoIs {
  const { people } = channels;
  const profileOf = keptProfiles(slack, now);
  const isOpen = isAdmin(callerNamed('anybody'));

  return async ({ team, user, username }) => {
    const mapped = personBySlack(people, team, user);
    if (mapped) return callerNamed(mapped);
    const profile: Profile = await profileOf(user).catch((error: unknown) => {
      if (isOpen) return {};
      throw error;
    });
    const email = confirmedEmail(profile, team, (await slack.self()).team);
    if (email) return callerNamed(personByEmail(people, email));
    // Where no keys are set everybody may answer, and this is what they are called.
    return isOpen ? callerNamed(username ?? profile.name ?? user) : undefined;
  };
}

function confirmedEmail(profile: Profile, team: string, own: string): string | undefined {
  const { deleted, is_bot, is_stranger, is_restricted, is_ultra_restricted } = profile;
  const isOurs = team === own && (profile.team_id === undefined || profile.team_id === own);
  if (!isOurs || deleted || is_bot || is_stranger || is_restricted || is_ultra_restricted) return undefined;
  return profile.is_email_confirmed === true ? profile.profile?.email : undefined;
}

function keptProfiles({ web }: Slack, now: () => number): (user: string) => Promise<Profile> {
  const kept = new Map<string, { until: number; profile: Profile }>();
  return async (user) => {
    const known = kept.get(user);
    if (known && known.until > now()) return known.profile;
    const profile = (await web.users.info({ user })).user ?? {};
    if (kept.size >= KEPT_USERS) kept.clear();
    kept.set(user, { until: now() + KEPT_MS, profile });
    return profile;
  };
}
