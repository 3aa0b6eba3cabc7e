import {
  defineSearchAttributeKey,
  type SearchAttributePair,
  type SearchAttributeUpdatePair,
} from '@temporalio/common';
import { setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import { detailsOf } from '#core/details';
import type { State } from '#core/state';
import { type Attributes, attributesOf, memoOf } from '#core/view';

const KEYS = {
  ParleyStatus: defineSearchAttributeKey('ParleyStatus', 'KEYWORD'),
  ParleyAgent: defineSearchAttributeKey('ParleyAgent', 'KEYWORD'),
  ParleyRoot: defineSearchAttributeKey('ParleyRoot', 'KEYWORD'),
  ParleyAudience: defineSearchAttributeKey('ParleyAudience', 'KEYWORD_LIST'),
  ParleyExpiresAt: defineSearchAttributeKey('ParleyExpiresAt', 'DATETIME'),
};

/** All that are set, for whoever starts a run or rolls it over. */
export function attributesToStartWith(state: State): SearchAttributePair[] {
  return attributePairs(attributesOf(state)).filter(
    (pair): pair is SearchAttributePair => pair.value !== null,
  );
}

function attributePairs(attributes: Partial<Attributes>): SearchAttributeUpdatePair[] {
  const { ParleyExpiresAt: expiresAt, ...names } = attributes;
  const pairs = Object.entries(names).map(([name, value]) => ({
    key: KEYS[name as keyof typeof KEYS],
    value,
  }));
  if (expiresAt !== undefined)
    pairs.push({ key: KEYS.ParleyExpiresAt, value: expiresAt && new Date(expiresAt) } as never);
  return pairs as SearchAttributeUpdatePair[];
}

/** Shows the run to those who look from outside. Each write is an event, so it is made when a person would see a change. */
export function presence(state: State): () => void {
  // Whoever started this run wrote these, from the same state.
  let memo = written(memoOf(state));
  let attributes = written(attributesOf(state));
  let seen = shownOf(state);
  return () => {
    setCurrentDetails(detailsOf(state));
    if (shownOf(state) === seen) return;
    seen = shownOf(state);
    const memoNow = memoOf(state);
    upsertMemo(changed(memo, memoNow));
    memo = written(memoNow);
    const attributesNow = attributesOf(state);
    const moved = changed(attributes, attributesNow);
    if (Object.keys(moved).length > 0) upsertSearchAttributes(attributePairs(moved));
    attributes = written(attributesNow);
  };
}

/** Parked, settled, ended, or a message taken in: what ends a wait. */
export function markOf(state: State): string {
  const verdict = state.verdicts[state.verdicts.length - 1];
  return [state.status, state.question?.id, verdict?.id, verdict?.at].join(' ');
}

/** That, and who was told and let in meanwhile: what somebody may be waiting to see. */
function shownOf(state: State): string {
  const notices = [state.question, state.settled].map((question) => question?.notices.length);
  return [markOf(state), ...notices, state.access.assignees.length].join(' ');
}

type Written = Record<string, string | undefined>;

function written(parts: object): Written {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, JSON.stringify(part)]));
}

function changed<T extends object>(before: Written, now: T): Partial<T> {
  const parts = Object.entries(now).filter(([name, part]) => JSON.stringify(part) !== before[name]);
  return Object.fromEntries(parts) as Partial<T>;
}
