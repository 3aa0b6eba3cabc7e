import type { DataConverter, PayloadCodec } from '@temporalio/common';
import type { Keys } from '#contract/encryption';
import { compression } from './codec/compress';
import { encryption } from './codec/encrypt';

/** What every payload goes through on its way to Temporal, and back: made small first, as nothing encrypted gets smaller. */
export function payloadCodecs(keys: Keys | undefined): PayloadCodec[] {
  return [compression, encryption(keys)];
}

/** How whoever talks to Temporal writes and reads payloads: worker, API, scripts and replays alike. */
export function dataConverter(keys: Keys | undefined): DataConverter {
  return {
    payloadConverterPath: payloadConverterPath(),
    ...(keys ? { failureConverterPath: failureConverterPath() } : {}),
    payloadCodecs: payloadCodecs(keys),
  };
}

/** The same rules in and out of the workflow. */
function payloadConverterPath(): string {
  return require.resolve('#workflows/payload-converter');
}

/** With encryption, messages and stacks of failures are payloads too. */
function failureConverterPath(): string {
  return require.resolve('#workflows/failure-converter');
}
