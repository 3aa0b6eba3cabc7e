import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/internal-non-workflow';
import type { CodecPayload } from '#contract/requests';
import type { EncryptionKeyRing } from '#infra/crypto/encryption-keys';
import { compressionCodec, createEncryptionCodec } from './encryption-and-compression';

/** Processes every payload to and from Temporal. Compresses before encrypting, as encrypted data does not compress. */
export function createPayloadCodecs(keys: EncryptionKeyRing | undefined): PayloadCodec[] {
  return [compressionCodec, createEncryptionCodec(keys)];
}

/** Creates the data converter shared by worker, API, scripts and replays. */
export function createDataConverter(keys: EncryptionKeyRing | undefined): DataConverter {
  // The same module as inside the workflow.
  const convertersPath = require.resolve('#workflows/runtime/converters');
  return {
    payloadConverterPath: convertersPath,
    // With encryption, messages and stacks of failures are payloads too.
    ...(keys ? { failureConverterPath: convertersPath } : {}),
    payloadCodecs: createPayloadCodecs(keys),
  };
}

/** Encodes payloads as Parley stores them. */
export async function encodeJsonPayloads(codecs: PayloadCodec[], payloads: CodecPayload[]): Promise<CodecPayload[]> {
  return (await encode(codecs, payloads.map(payloadFromJson))).map(payloadToJson);
}

/** Decodes payloads that Parley stored. */
export async function decodeJsonPayloads(codecs: PayloadCodec[], payloads: CodecPayload[]): Promise<CodecPayload[]> {
  return (await decode(codecs, payloads.map(payloadFromJson))).map(payloadToJson);
}

function payloadFromJson({ metadata = {}, data = '', ...rest }: CodecPayload): Payload {
  const decodedMetadata = Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]);
  return { ...rest, metadata: Object.fromEntries(decodedMetadata), data: Buffer.from(data, 'base64') };
}

/** Omits empty fields: older tools reject unknown names. */
function payloadToJson({ metadata, data, externalPayloads, ...rest }: Payload): CodecPayload {
  const encodedMetadata = Object.entries(metadata ?? {}).map(([name, value]) => [name, toBase64(value)]);
  const external = externalPayloads?.length ? { externalPayloads } : {};
  return {
    ...rest,
    ...external,
    metadata: Object.fromEntries(encodedMetadata),
    data: toBase64(data ?? new Uint8Array()),
  };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
