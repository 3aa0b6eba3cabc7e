import type { InboundDeps } from '#channels/inbound';
import { findPersonNameByEmail, findPersonNameBySlackUser } from '#channels/people';
import type { SlackClient } from '#channels/slack/client';

/** A Slack user, as named in the payload. */
export interface SlackUser {
  /** The user's own team, which is not the bot's in a channel shared between companies. */
  team: string;
  user: string;
  username?: string;
}

/** The part of a Slack profile that is used here. */
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

/** Returns the name of the person, if Parley knows the user. */
export type SlackPersonResolver = (user: SlackUser) => Promise<string | undefined>;

const PROFILE_CACHE_MS = 5 * 60_000;
const MAX_CACHED_PROFILES = 1_000;

/**
 * Maps a Slack user to a person: by the directory, else by their email address. The address must be confirmed and
 * belong to the bot's own workspace, since a guest or another company can claim any. Otherwise the user is unknown.
 */
export function createSlackPersonResolver(
  slack: SlackClient,
  { people, allowAnyone, now }: Pick<InboundDeps, 'people' | 'allowAnyone' | 'now'>,
): SlackPersonResolver {
  const getProfile = createProfileCache(slack, now);

  return async ({ team, user, username }) => {
    const mappedName = findPersonNameBySlackUser(people, team, user);
    if (mappedName) return mappedName;
    const profile: SlackProfile = await getProfile(user).catch((error: unknown) => {
      if (allowAnyone) return {};
      throw error;
    });
    const email = getConfirmedEmail(profile, team, (await slack.self()).team);
    if (email) return findPersonNameByEmail(people, email);
    // Without API keys everyone may answer, so the Slack name will do.
    return allowAnyone ? (username ?? profile.name ?? user) : undefined;
  };
}

function getConfirmedEmail(profile: SlackProfile, team: string, botTeam: string): string | undefined {
  const { deleted, is_bot, is_stranger, is_restricted, is_ultra_restricted } = profile;
  const isOurs = team === botTeam && (profile.team_id === undefined || profile.team_id === botTeam);
  if (!isOurs || deleted || is_bot || is_stranger || is_restricted || is_ultra_restricted) return undefined;
  return profile.is_email_confirmed === true ? profile.profile?.email : undefined;
}

function createProfileCache({ web }: SlackClient, now: () => number): (user: string) => Promise<SlackProfile> {
  const cache = new Map<string, { expiresAt: number; profile: SlackProfile }>();
  return async (user) => {
    const cached = cache.get(user);
    if (cached && cached.expiresAt > now()) return cached.profile;
    const profile = (await web.users.info({ user })).user ?? {};
    if (cache.size >= MAX_CACHED_PROFILES) cache.clear();
    cache.set(user, { expiresAt: now() + PROFILE_CACHE_MS, profile });
    return profile;
  };
}
