import { createStreamLimiter } from '#api/middleware/rate-limit';
import { createLatch } from '#test/support/scripted-model';

const maria = { name: 'maria', scopes: ['conversations:read' as const] };

it('keeps one key from holding more than a thousand streams, and counts those that ended no more', async () => {
  const stream = createStreamLimiter();
  const { hold, release } = createLatch();
  const wait = async () => void (await hold);
  const open = Array.from({ length: 1_000 }, () => stream(maria, wait));
  await expect(stream(maria, wait)).rejects.toMatchObject({ code: 'rate_limited' });
  const others = [stream({ ...maria, name: 'sam' }, wait), stream({ name: null, scopes: ['admin'] }, wait)];
  release();
  await Promise.all([...open, ...others]);
  await stream(maria, async () => undefined);
});
