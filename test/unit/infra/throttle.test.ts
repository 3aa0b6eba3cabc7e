import { createThrottle } from '#infra/throttle';

it('says the same thing once in ten minutes, and another at once', () => {
  jest.useFakeTimers({ now: Date.parse('2026-11-16T09:00:00Z') });
  const said: string[] = [];
  const rarely = createThrottle();
  const say = (what: string) => rarely(what, () => said.push(what));
  for (const what of ['a', 'a', 'b', 'a']) say(what);
  expect(said).toEqual(['a', 'b']);
  jest.setSystemTime(Date.parse('2026-11-16T09:10:00Z'));
  say('a');
  expect(said).toEqual(['a', 'b', 'a']);
  jest.useRealTimers();
});
