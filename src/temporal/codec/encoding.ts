import type { Payload } from '@temporalio/common';

export const METADATA_ENCODING = 'encoding';

export function nameOf(encoding: string): Uint8Array {
  return new TextEncoder().encode(encoding);
}

/** How a payload is written down, by its own word. */
export function encodingOf({ metadata }: Payload): string {
  return textIn(metadata?.[METADATA_ENCODING]);
}

export function textIn(bytes: Uint8Array | undefined | null): string {
  return new TextDecoder().decode(bytes ?? new Uint8Array());
}
