import { setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import type { ConversationState } from '#core/conversation/state';
import { buildMemo } from '#core/projections';
import { buildSearchAttributes, toAttributePairs } from '#core/search-attributes';
import { renderTemporalDetails } from '#core/temporal-ui-details';

/** Shows the run to those who look from outside. Each write is an event, so it is made when a person would see a change. */
export function createPublisher(state: ConversationState): () => void {
  // Whoever started this run wrote these, from the same state.
  let memo = serializeParts(buildMemo(state));
  let attributes = serializeParts(buildSearchAttributes(state));
  let publishedMarker = visibleMarker(state);
  return () => {
    setCurrentDetails(renderTemporalDetails(state));
    if (visibleMarker(state) === publishedMarker) return;
    publishedMarker = visibleMarker(state);
    const memoNow = buildMemo(state);
    upsertMemo(changedParts(memo, memoNow));
    memo = serializeParts(memoNow);
    const attributesNow = buildSearchAttributes(state);
    const changed = changedParts(attributes, attributesNow);
    if (Object.keys(changed).length > 0) upsertSearchAttributes(toAttributePairs(changed));
    attributes = serializeParts(attributesNow);
  };
}

/** Parked, settled, ended, or a message taken in: what ends a wait. */
export function changeMarker(state: ConversationState): string {
  const lastResult = state.messageResults[state.messageResults.length - 1];
  return [state.status, state.question?.id, lastResult?.id, lastResult?.at].join(' ');
}

/** That, and who was told and let in meanwhile: what somebody may be waiting to see. */
function visibleMarker(state: ConversationState): string {
  const notices = [state.question, state.settledQuestion].map((question) => question?.notices.length);
  return [changeMarker(state), ...notices, state.access.assignees.length].join(' ');
}

type SerializedParts = Record<string, string | undefined>;

function serializeParts(parts: object): SerializedParts {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, JSON.stringify(part)]));
}

function changedParts<T extends object>(before: SerializedParts, now: T): Partial<T> {
  const parts = Object.entries(now).filter(([name, part]) => JSON.stringify(part) !== before[name]);
  return Object.fromEntries(parts) as Partial<T>;
}
