import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/internal-non-workflow';
import fc from 'fast-check';
import { findEncryptionKeyError } from '#infra/crypto/aes-gcm';
import type { EncryptionKey, EncryptionKeyRing } from '#infra/crypto/encryption-keys';
import { createPayloadCodecs } from '#infra/temporal/codec/data-converter';
import { compressionCodec } from '#infra/temporal/codec/encryption-and-compression';
import { payloadConverter } from '#workflows/runtime/converters';

const key = (id: string, fill: number): EncryptionKey => ({ id, bytes: new Uint8Array(32).fill(fill) });
const [k1, k2] = [key('k1', 1), key('k2', 2)];

const toPayload = (value: unknown): Payload => payloadConverter.toPayload(value) as Payload;
const text = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('latin1');
const encodeValue = (value: unknown, keys?: EncryptionKeyRing) => encode(createPayloadCodecs(keys), [toPayload(value)]);
const decodeValue = async (payloads: Payload[], keys?: EncryptionKeyRing) =>
  payloadConverter.fromPayload((await decode(createPayloadCodecs(keys), payloads))[0] as Payload);

async function keyErrorOf(attempt: Promise<unknown>): Promise<string | undefined> {
  return attempt.then(
    () => undefined,
    (error: Error) => findEncryptionKeyError(error)?.message,
  );
}

describe('a payload for Temporal', () => {
  it.each<[string, EncryptionKeyRing | undefined]>([
    ['compressed', undefined],
    ['compressed and encrypted', [k1]],
  ])('is restored %s, whatever it is', async (_case, keys) => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.nat({ max: 40_000 }), async (value, length) => {
        const large = { value, padding: 'lorem ipsum '.repeat(length / 12) };
        expect(await decodeValue(await encodeValue(large, keys), keys)).toEqual(JSON.parse(JSON.stringify(large)));
      }),
      { numRuns: 50 },
    );
  });

  it('gets smaller if that is worth it, and stays unchanged otherwise', async () => {
    const longPayload = toPayload('again and '.repeat(10_000));
    const [compressed] = await compressionCodec.encode([longPayload]);
    expect(compressed?.data?.length).toBeLessThan((longPayload.data?.length ?? 0) / 10);
    const incompressible: Payload = { metadata: longPayload.metadata, data: randomBytes(100_000) };
    expect((await compressionCodec.encode([incompressible]))[0]).toBe(incompressible);
    const shortPayload = toPayload('again and again');
    expect((await compressionCodec.encode([shortPayload]))[0]).toBe(shortPayload);
  });

  it('reveals nothing once it is encrypted but the id of the key', async () => {
    const [payload] = await encodeValue({ message: 'the-planted-secret' }, [k1, k2]);
    expect(text(payload?.metadata?.encoding)).toBe('binary/encrypted');
    expect(text(payload?.metadata?.['encryption-key-id'])).toBe('k1');
    expect(Object.keys(payload?.metadata ?? {})).toHaveLength(2);
    expect(text(payload?.data)).not.toMatch(/planted|json/);
  });

  it('is decrypted with the key it names after another became the first', async () => {
    const payloads = await encodeValue('said long ago', [k1]);
    expect(await decodeValue(payloads, [k2, k1])).toBe('said long ago');
  });

  it('is an error without the right key, and never an empty value', async () => {
    const payloads = await encodeValue('x', [k1]);
    expect(await keyErrorOf(decodeValue(payloads, [k2]))).toMatch(/"k1" is missing/);
    expect(await keyErrorOf(decodeValue(payloads))).toMatch(/"k1" is missing.*PARLEY_ENCRYPTION_KEYS/);
    expect(await keyErrorOf(decodeValue(payloads, [key('k1', 7)]))).toMatch(/"k1": a different key was used/);
    const [payload] = payloads;
    const tampered = Buffer.from(payload?.data ?? []);
    tampered[20] = (tampered[20] ?? 0) ^ 1;
    expect(await keyErrorOf(decodeValue([{ ...payload, data: tampered }], [k1]))).toMatch(/data was changed/);
  });

  it('is read unencrypted if it came so, so that people can signal by hand', async () => {
    expect(await decodeValue([toPayload({ answers: { q1: 'Yes' } })], [k1])).toEqual({ answers: { q1: 'Yes' } });
    const unencrypted = await encodeValue('again and '.repeat(10_000));
    expect(await decodeValue(unencrypted, [k1])).toMatch(/^again and/);
  });

  it.each<[string, PayloadCodec, Payload]>([
    ['compressed', compressionCodec, malformedPayload('binary/zlib', 'no zlib at all')],
    [
      'compressed, and a decompression bomb',
      compressionCodec,
      malformedPayload('binary/zlib', deflateSync(Buffer.alloc(80 * 1024 * 1024))),
    ],
    [
      'encrypted, with no key id',
      createPayloadCodecs([k1])[1] as PayloadCodec,
      malformedPayload('binary/encrypted', 'x'),
    ],
  ])('is an empty value if it only claims to be %s, so that it blocks no run', async (_case, codec, payload) => {
    expect(await codec.decode([payload])).toEqual([payload]);
    expect(payloadConverter.fromPayload(payload)).toBeUndefined();
  });
});

function malformedPayload(encoding: string, data: string | Uint8Array): Payload {
  return { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) };
}
