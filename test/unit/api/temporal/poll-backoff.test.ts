import { createPollBackoff } from '#api/temporal/poll-backoff';

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

test('one who waits alone looks soon, and then ever less often', () => {
  const one = createPollBackoff().join();
  expect(times(6, () => one.next())).toEqual([25, 50, 100, 200, 400, 400]);
});

test('of many who wait each looks once soon, and then all together about as often as a few would', () => {
  const pace = createPollBackoff();
  const all = times(50, () => pace.join());
  expect(all.map((one) => one.next())).toEqual(all.map(() => 25));
  const looksASecond = all.map((one) => 1_000 / one.next()).reduce((sum, looks) => sum + looks, 0);
  expect(looksASecond).toBeGreaterThan(50);
  expect(looksASecond).toBeLessThan(80);
});

test('nobody waits for more than a second between two looks, however many there are', () => {
  const pace = createPollBackoff();
  const [one] = times(5_000, () => pace.join());
  expect([one?.next(), one?.next()]).toEqual([25, 1_000]);
});

test('when the others have heard, it is as if they had never been there', () => {
  const pace = createPollBackoff();
  const others = times(50, () => pace.join());
  for (const other of others) other.leave();
  const one = pace.join();
  expect([one.next(), one.next()]).toEqual([25, 50]);
});
