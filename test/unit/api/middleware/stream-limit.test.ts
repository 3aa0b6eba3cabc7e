import { createStreamLimiter } from '#api/middleware/rate-limit';
import { createLatch } from '#test/support/scripted-model';

const maria = { name: 'maria', scopes: ['conversations:read' as const] };

it('limits the open streams of one key, and counts closed ones no longer', async () => {
  const withStreamLimit = createStreamLimiter();
  const { hold, release } = createLatch();
  const wait = async () => void (await hold);
  const openStreams = Array.from({ length: 1_000 }, () => withStreamLimit(maria, wait));
  await expect(withStreamLimit(maria, wait)).rejects.toMatchObject({ code: 'rate_limited' });
  const otherStreams = [
    withStreamLimit({ ...maria, name: 'sam' }, wait),
    withStreamLimit({ name: null, scopes: ['admin'] }, wait),
  ];
  release();
  await Promise.all([...openStreams, ...otherStreams]);
  await withStreamLimit(maria, async () => undefined);
});
