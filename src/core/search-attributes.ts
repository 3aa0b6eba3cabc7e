import { defineSearchAttributeKey, type SearchAttributePair, type SearchAttributeUpdatePair } from '@temporalio/common';
import { type ConversationState, EVERYBODY } from './conversation/state';
import { sha256Digest } from './digest';
import { jsonBytes } from './json';

type AudienceSource = Pick<ConversationState, 'access' | 'salt'>;

/** The distinct names that may see a conversation, as indexed. The index is not encrypted, so names may be hashed. */
function audienceNames({ access: { owner, visibleTo, assignees }, salt }: AudienceSource): string[] {
  const names = [...new Set([...(owner ? [owner] : []), ...visibleTo, ...assignees])];
  return salt === undefined ? names : names.map((name) => pseudonymize(name, salt));
}

export function audienceBytes(state: AudienceSource): number {
  return jsonBytes(audienceNames(state));
}

const BASE64URL_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const PSEUDONYM_LENGTH = 16;

/** A salted hash of a name: 96 bits, short enough that a hundred fit into one search attribute. */
export function pseudonymize(name: string, salt: string): string {
  if (name === EVERYBODY) return name;
  const hex = sha256Digest([salt, name]).slice('sha256:'.length);
  let letters = '';
  for (let at = 0; letters.length < PSEUDONYM_LENGTH; at += 3) {
    const bits = Number.parseInt(hex.slice(at, at + 3), 16);
    letters += `${BASE64URL_ALPHABET[bits >> 6]}${BASE64URL_ALPHABET[bits & 63]}`;
  }
  return letters;
}

/** The attributes by which inbox and lists filter. Nothing private, as search attributes are never encrypted. */
interface SearchAttributeValues {
  ParleyStatus: string;
  ParleyAgent: string;
  ParleyRoot: string;
  ParleyAudience: string[];
  ParleyExpiresAt: string | null;
}

export function buildSearchAttributes(state: ConversationState): SearchAttributeValues {
  return {
    ParleyStatus: state.status,
    ParleyAgent: state.agent.name,
    ParleyRoot: state.root,
    ParleyAudience: audienceNames(state),
    ParleyExpiresAt: state.question?.expiresAt ?? null,
  };
}

const SEARCH_ATTRIBUTE_KEYS = {
  ParleyStatus: defineSearchAttributeKey('ParleyStatus', 'KEYWORD'),
  ParleyAgent: defineSearchAttributeKey('ParleyAgent', 'KEYWORD'),
  ParleyRoot: defineSearchAttributeKey('ParleyRoot', 'KEYWORD'),
  ParleyAudience: defineSearchAttributeKey('ParleyAudience', 'KEYWORD_LIST'),
  ParleyExpiresAt: defineSearchAttributeKey('ParleyExpiresAt', 'DATETIME'),
};

/** Search attributes for a new run. */
export function initialSearchAttributes(state: ConversationState): SearchAttributePair[] {
  return toAttributePairs(buildSearchAttributes(state)).filter(
    (pair): pair is SearchAttributePair => pair.value !== null,
  );
}

export function toAttributePairs(attributes: Partial<SearchAttributeValues>): SearchAttributeUpdatePair[] {
  const { ParleyExpiresAt: expiresAt, ...names } = attributes;
  const pairs = Object.entries(names).map(([name, value]) => ({
    key: SEARCH_ATTRIBUTE_KEYS[name as keyof typeof SEARCH_ATTRIBUTE_KEYS],
    value,
  }));
  if (expiresAt !== undefined)
    pairs.push({
      key: SEARCH_ATTRIBUTE_KEYS.ParleyExpiresAt,
      value: expiresAt && new Date(expiresAt),
    } as never);
  return pairs as SearchAttributeUpdatePair[];
}
