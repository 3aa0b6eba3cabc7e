import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/internal-non-workflow';
import fc from 'fast-check';
import { findEncryptionKeyError } from '#infra/crypto/encryption';
import type { EncryptionKey, EncryptionKeyRing } from '#infra/crypto/encryption-keys';
import { createPayloadCodecs } from '#infra/temporal/codec/data-converter';
import { compressionCodec } from '#infra/temporal/codec/payload-codecs';
import { payloadConverter } from '#workflows/runtime/converters';

const key = (id: string, fill: number): EncryptionKey => ({ id, bytes: new Uint8Array(32).fill(fill) });
const [k1, k2] = [key('k1', 1), key('k2', 2)];

const plain = (value: unknown): Payload => payloadConverter.toPayload(value) as Payload;
const text = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('latin1');
const written = (value: unknown, keys?: EncryptionKeyRing) => encode(createPayloadCodecs(keys), [plain(value)]);
const read = async (payloads: Payload[], keys?: EncryptionKeyRing) =>
  payloadConverter.fromPayload((await decode(createPayloadCodecs(keys), payloads))[0] as Payload);

async function troubleOf(attempt: Promise<unknown>): Promise<string | undefined> {
  return attempt.then(
    () => undefined,
    (error: Error) => findEncryptionKeyError(error)?.message,
  );
}

describe('what goes to Temporal', () => {
  it.each<[string, EncryptionKeyRing | undefined]>([
    ['compressed', undefined],
    ['compressed and encrypted', [k1]],
  ])('comes back %s as it was, whatever it is', async (_how, keys) => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.nat({ max: 40_000 }), async (value, length) => {
        const large = { value, padding: 'lorem ipsum '.repeat(length / 12) };
        expect(await read(await written(large, keys), keys)).toEqual(JSON.parse(JSON.stringify(large)));
      }),
      { numRuns: 50 },
    );
  });

  it('gets smaller where that is worth it, and stays as it is where it is not', async () => {
    const long = plain('again and '.repeat(10_000));
    const [small] = await compressionCodec.encode([long]);
    expect(small?.data?.length).toBeLessThan((long.data?.length ?? 0) / 10);
    const noise: Payload = { metadata: long.metadata, data: randomBytes(100_000) };
    expect((await compressionCodec.encode([noise]))[0]).toBe(noise);
    const short = plain('again and again');
    expect((await compressionCodec.encode([short]))[0]).toBe(short);
  });

  it('shows nothing of itself once it is encrypted but the id of the key', async () => {
    const [payload] = await written({ message: 'the-planted-secret' }, [k1, k2]);
    expect(text(payload?.metadata?.encoding)).toBe('binary/encrypted');
    expect(text(payload?.metadata?.['encryption-key-id'])).toBe('k1');
    expect(Object.keys(payload?.metadata ?? {})).toHaveLength(2);
    expect(text(payload?.data)).not.toMatch(/planted|json/);
  });

  it('is read with the key it names after another has come first', async () => {
    const old = await written('said long ago', [k1]);
    expect(await read(old, [k2, k1])).toBe('said long ago');
  });

  it('is an error to whoever has not the right key, and never nothing', async () => {
    const payloads = await written('x', [k1]);
    expect(await troubleOf(read(payloads, [k2]))).toMatch(/"k1", which is not here/);
    expect(await troubleOf(read(payloads))).toMatch(/"k1", which is not here.*PARLEY_ENCRYPTION_KEYS/);
    expect(await troubleOf(read(payloads, [key('k1', 7)]))).toMatch(/"k1" that is here is not the one/);
    const [payload] = payloads;
    const changed = Buffer.from(payload?.data ?? []);
    changed[20] = (changed[20] ?? 0) ^ 1;
    expect(await troubleOf(read([{ ...payload, data: changed }], [k1]))).toMatch(/changed since/);
  });

  it('is read in clear where it came in clear, so that people can signal by hand', async () => {
    expect(await read([plain({ answers: { q1: 'Yes' } })], [k1])).toEqual({ answers: { q1: 'Yes' } });
    const before = await written('again and '.repeat(10_000));
    expect(await read(before, [k1])).toMatch(/^again and/);
  });

  it.each<[string, PayloadCodec, Payload]>([
    ['compressed', compressionCodec, junk('binary/zlib', 'no zlib at all')],
    ['compressed, and a bomb', compressionCodec, junk('binary/zlib', deflateSync(Buffer.alloc(80 * 1024 * 1024)))],
    ['encrypted, with no key id', createPayloadCodecs([k1])[1] as PayloadCodec, junk('binary/encrypted', 'x')],
  ])('is nothing where somebody only says that it is %s: it must jam no run', async (_what, codec, payload) => {
    expect(await codec.decode([payload])).toEqual([payload]);
    expect(payloadConverter.fromPayload(payload)).toBeUndefined();
  });
});

function junk(encoding: string, data: string | Uint8Array): Payload {
  return { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) };
}
