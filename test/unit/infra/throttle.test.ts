import { createThrottle } from '#infra/throttle';

it('logs the same line once in ten minutes, and another at once', () => {
  jest.useFakeTimers({ now: Date.parse('2026-11-16T09:00:00Z') });
  const calls: string[] = [];
  const throttled = createThrottle();
  const runThrottled = (key: string) => throttled(key, () => calls.push(key));
  for (const key of ['a', 'a', 'b', 'a']) runThrottled(key);
  expect(calls).toEqual(['a', 'b']);
  jest.setSystemTime(Date.parse('2026-11-16T09:10:00Z'));
  runThrottled('a');
  expect(calls).toEqual(['a', 'b', 'a']);
  jest.useRealTimers();
});
