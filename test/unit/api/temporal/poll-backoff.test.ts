import { createPollBackoff } from '#api/temporal/poll-backoff';

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

test('one who waits alone looks soon, and then ever less often', () => {
  const waiter = createPollBackoff().start();
  expect(times(6, () => waiter.next())).toEqual([25, 50, 100, 200, 400, 400]);
});

test('of many who wait each looks once soon, and then all together about as often as a few would', () => {
  const backoff = createPollBackoff();
  const waiters = times(50, () => backoff.start());
  expect(waiters.map((waiter) => waiter.next())).toEqual(waiters.map(() => 25));
  const pollsPerSecond = waiters.map((waiter) => 1_000 / waiter.next()).reduce((sum, polls) => sum + polls, 0);
  expect(pollsPerSecond).toBeGreaterThan(50);
  expect(pollsPerSecond).toBeLessThan(80);
});

test('nobody waits for more than a second between two looks, however many there are', () => {
  const backoff = createPollBackoff();
  const [waiter] = times(5_000, () => backoff.start());
  expect([waiter?.next(), waiter?.next()]).toEqual([25, 1_000]);
});

test('when the others have heard, it is as if they had never been there', () => {
  const backoff = createPollBackoff();
  const otherWaiters = times(50, () => backoff.start());
  for (const other of otherWaiters) other.stop();
  const waiter = backoff.start();
  expect([waiter.next(), waiter.next()]).toEqual([25, 50]);
});
