import { z } from 'zod';
import { entriesOf, parsedText } from './error-messages';

/** What a key can do. `admin` can do everything and see every conversation. */
export const Scope = z.enum([
  'conversations:write',
  'conversations:read',
  'questions:answer',
  'metrics:read',
  'codec:decode',
  'admin',
]);
export type Scope = z.infer<typeof Scope>;

/** `admin` includes every other scope. */
export function hasScope({ scopes }: { scopes: readonly Scope[] }, scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}

/** The name of a key, which stands for a person or a program. Used in Visibility queries. */
export const ApiKeyName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/,
    'must be 1 to 64 letters, digits, dots, hyphens, underscores, @ or +, and start with a letter or digit',
  );

/** Names go into a search attribute: at most 255 characters, and PostgreSQL rejects NUL, so no control characters. */
const AudienceName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[ -~\u00a0-\uffff]*$/, 'must not contain control characters')
  .regex(/^[^\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]*$/, 'must not contain invisible characters')
  .overwrite(foldAddress);

/** Names that are email addresses are compared without case: people write them either way. */
export function foldAddress(name: string): string {
  return name.includes('@') ? name.toLowerCase() : name;
}

export const Audience = z.array(AudienceName).max(50).describe('Names of keys; `*` means everyone with a key.');

/** Temporal indexes the owner and both lists as one value of at most 2,048 bytes. */
const MAX_AUDIENCE_BYTES = 1_800;

export function isIndexableAudience(...lists: string[][]): boolean {
  return new TextEncoder().encode(JSON.stringify(lists.flat())).length <= MAX_AUDIENCE_BYTES;
}

export const AUDIENCE_TOO_LARGE =
  'visibleTo, assignees and escalations must be at most 1,800 bytes in total (94 names with encryption); list fewer, or use `*`';

/** The caller's identity. `name` is null if no keys are set. */
export const Session = z.strictObject({ name: z.string().nullable(), scopes: z.array(Scope) });
export type Session = z.infer<typeof Session>;

/** A key as the API stores it: only its SHA-256 hash, never the key itself. */
export interface ApiKey {
  name: string;
  scopes: Scope[];
  hash: string;
  /** The agents that it may start, and knows of; undefined for all. */
  agents?: string[];
}

export const AGENT_NAME_PATTERN = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Recognizes a key or a hash in place of a name. Errors must not show it. */
const SECRET_PATTERN = /^(parley_[\w-]{32,}|[0-9a-f]{32,})$/i;

const ApiKeyEntry = parsedText((entry): ApiKey | string => {
  const [name = '', scopes = '', hash = '', agents, ...rest] = entry.split('=');
  const parsedName = ApiKeyName.safeParse(name);
  const label = parsedName.success && entry.includes('=') && !SECRET_PATTERN.test(name) ? name : 'an entry';
  const fail = (message: string) => `${label}: ${message}`;
  if (rest.length > 0 || scopes === '' || hash === '')
    return fail('must be name=scope,scope=hash or name=scope,scope=hash=agent,agent, as printed by `parley admin key`');
  if (!parsedName.success) return fail(`name ${parsedName.error.issues[0]?.message}`);
  if (SECRET_PATTERN.test(name)) return fail('the first part must be the name, not the key or its hash');
  const parsedScopes = z.array(Scope).safeParse(scopes.split(','));
  if (!parsedScopes.success) return fail(`scopes must be a comma-separated list of: ${Scope.options.join(', ')}`);
  if (!/^[0-9a-f]{64}$/.test(hash))
    return fail('the last part must be the hash printed by `parley admin key` (64 hex digits), not the key');
  if (agents === undefined) return { name, scopes: parsedScopes.data, hash };
  const agentNames = agents.split(',');
  if (!agentNames.every((agent) => AGENT_NAME_PATTERN.test(agent)))
    return fail('the agents must be a comma-separated list of agent names');
  if (scopes.split(',').includes('admin')) return fail('a key with the scope admin cannot be limited to agents');
  return { name, scopes: parsedScopes.data, hash, agents: agentNames };
});

/** `PARLEY_API_KEYS`: entries separated by white space or semicolons. A name may occur twice, for key rotation. */
export const ApiKeys = entriesOf(ApiKeyEntry)
  .refine((keys) => keys.length > 0, 'contains no key; unset it, or create one with `parley admin key`')
  .refine((keys) => new Set(keys.map(({ hash }) => hash)).size === keys.length, 'has two entries with the same hash')
  .refine(
    (keys) => keys.every(({ name }) => !hasTwin(keys, name)),
    'has two names that differ only in case, which the index of conversations does not tell apart',
  );

/** Whether another name differs from it only in case. The same name twice is a key being rotated. */
function hasTwin(entries: readonly { name: string }[], name: string): boolean {
  return entries.some((other) => other.name !== name && other.name.toLowerCase() === name.toLowerCase());
}

export function serializeApiKey({ name, scopes, hash, agents }: ApiKey): string {
  return [name, scopes.join(','), hash, ...(agents ? [agents.join(',')] : [])].join('=');
}

export const EMAIL_PATTERN = /^[^\s@,;=<>]+@[^\s@,;=<>]+$/;

/** A person to ask, registered or not: the name of a key or person, or an email address. */
export const PersonName = z
  .string()
  .max(254)
  .refine(
    (name) => EMAIL_PATTERN.test(name) || ApiKeyName.safeParse(name).success,
    'must be the name of a key or person, or an email address',
  );
