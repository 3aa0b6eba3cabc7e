import { decodeJsonPayloads, encodeJsonPayloads } from '#infra/temporal/codec/data-converter';

describe('payloads of the remote codec', () => {
  it('are converted by a process that has converted none before', async () => {
    const payload = { metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: 'IlJlZCI=' };
    expect(await decodeJsonPayloads([], await encodeJsonPayloads([], [payload]))).toEqual([payload]);
  });
});
