import type { Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { Keys } from '#contract/encryption';
import { encryption, keyIdOf } from '#temporal/codec/encrypt';

type History = temporal.api.history.v1.IHistory;

/** Why a history cannot be read with these keys, if so. A replay of it would tell nothing about the code. */
export async function whyLocked(history: History, keys: Keys | undefined): Promise<string | undefined> {
  const samples = new Map<string, Payload>();
  for (const payload of payloadsIn(history.events)) {
    const id = keyIdOf(payload);
    if (id !== undefined && !samples.has(id)) samples.set(id, payload);
  }
  for (const payload of samples.values()) {
    try {
      await encryption(keys).decode([payload]);
    } catch (error) {
      return (error as Error).message;
    }
  }
  return undefined;
}

function* payloadsIn(value: unknown): Generator<Payload> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  if (Array.isArray(value)) for (const one of value) yield* payloadsIn(one);
  else if (isPayload(value)) yield value;
  else for (const part of Object.values(value)) yield* payloadsIn(part);
}

function isPayload(value: object): value is Payload {
  return 'metadata' in value && 'data' in value && value.data instanceof Uint8Array;
}
