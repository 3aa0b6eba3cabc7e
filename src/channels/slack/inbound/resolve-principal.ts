import type { ApiDeps } from '#api/dependencies';
import { isAdmin, type Principal } from '#api/middleware/authentication';
import { findPersonNameByEmail, findPersonNameBySlackUser } from '#channels/people';
import type { SlackClient } from '#channels/slack/client';

/** A Slack user, as what they did says. */
export interface SlackUser {
  /** That of the user, which is not the bot's where a channel is shared between companies. */
  team: string;
  user: string;
  username?: string;
}

/** As much of what Slack knows of a user as is asked. */
interface SlackProfile {
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

export type SlackPrincipalResolver = (user: SlackUser) => Promise<Principal | undefined>;

const PROFILE_CACHE_MS = 5 * 60_000;
const MAX_CACHED_PROFILES = 1_000;

/**
 * Who somebody in Slack is to Parley: whom the directory says, else the person with their address, which has to be
 * confirmed, and of the bot's own workspace: a guest or another company can have any. Nobody otherwise.
 */
export function createSlackPrincipalResolver(
  slack: SlackClient,
  { channels, callerNamed, now }: Pick<ApiDeps, 'channels' | 'callerNamed' | 'now'>,
): SlackPrincipalResolver {
  const { people } = channels;
  const profileOf = createProfileCache(slack, now);
  const isOpen = isAdmin(callerNamed('anybody'));

  return async ({ team, user, username }) => {
    const mapped = findPersonNameBySlackUser(people, team, user);
    if (mapped) return callerNamed(mapped);
    const profile: SlackProfile = await profileOf(user).catch((error: unknown) => {
      if (isOpen) return {};
      throw error;
    });
    const email = getConfirmedEmail(profile, team, (await slack.self()).team);
    if (email) return callerNamed(findPersonNameByEmail(people, email));
    // Where no keys are set everybody may answer, and this is what they are called.
    return isOpen ? callerNamed(username ?? profile.name ?? user) : undefined;
  };
}

function getConfirmedEmail(profile: SlackProfile, team: string, own: string): string | undefined {
  const { deleted, is_bot, is_stranger, is_restricted, is_ultra_restricted } = profile;
  const isOurs = team === own && (profile.team_id === undefined || profile.team_id === own);
  if (!isOurs || deleted || is_bot || is_stranger || is_restricted || is_ultra_restricted) return undefined;
  return profile.is_email_confirmed === true ? profile.profile?.email : undefined;
}

function createProfileCache({ web }: SlackClient, now: () => number): (user: string) => Promise<SlackProfile> {
  const kept = new Map<string, { until: number; profile: SlackProfile }>();
  return async (user) => {
    const known = kept.get(user);
    if (known && known.until > now()) return known.profile;
    const profile = (await web.users.info({ user })).user ?? {};
    if (kept.size >= MAX_CACHED_PROFILES) kept.clear();
    kept.set(user, { until: now() + PROFILE_CACHE_MS, profile });
    return profile;
  };
}
