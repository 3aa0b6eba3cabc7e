import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import type { CodecPayload } from '#contract/requests';
import type { EncryptionKeyRing } from '#infra/crypto/encryption-keys';
import { compressionCodec, createEncryptionCodec } from './encryption-and-compression';

const { Payload: PayloadProto } = temporal.api.common.v1;
type PayloadMessage = temporal.api.common.v1.Payload;

/** Processes every payload to and from Temporal. Compresses before encrypting, as encrypted data does not compress. */
export function createPayloadCodecs(keys: EncryptionKeyRing | undefined): PayloadCodec[] {
  return [compressionCodec, createEncryptionCodec(keys)];
}

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

/** Called on its object, without which the first call of a process fails. */
function payloadFromJson(payload: CodecPayload): Payload {
  return PayloadProto.fromObject(payload);
}

function payloadToJson(payload: Payload): CodecPayload {
  return {
    metadata: {},
    data: '',
    ...PayloadProto.toObject(payload as PayloadMessage, { bytes: String, longs: String }),
  };
}
