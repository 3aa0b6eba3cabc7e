import { readConnectionSettings } from '#cli/context';
import { runPiped } from '#test/support/cli/run-cli';

describe('the server URL', () => {
  it.each([
    [{}, undefined, 'http://127.0.0.1:3000', 'default'],
    [{ PARLEY_URL: 'https://a.example/' }, undefined, 'https://a.example', 'PARLEY_URL'],
    [{ PARLEY_URL: 'https://a.example' }, 'http://b.example', 'http://b.example', '--url'],
  ])('with %j and %j is %s', (env, urlOption, url, urlSource) => {
    expect(readConnectionSettings(env, urlOption)).toEqual({ url, urlSource, key: undefined });
  });

  it.each([
    'https://maria:hunter2@parley.example.com',
    'https://hunter2@parley.example.com',
    'https://maria:hunter2@',
    'maria:hunter2@parley.example.com',
    'https://maria:hunter2/@ parley.example.com',
  ])('is refused if it is %s, without repeating a secret', (PARLEY_URL) => {
    const expectation = expect(() => readConnectionSettings({ PARLEY_URL }));
    expectation.toThrow('PARLEY_URL must ');
    expectation.not.toThrow('hunter2');
  });

  it.each([[['list']], [['list', '--json']], [['doctor']]])('never appears with its password: %j', async (args) => {
    const result = await runPiped(args, { PARLEY_URL: 'http://maria:hunter2@127.0.0.1:9' });
    expect([result.code, result.out]).toEqual([2, '']);
    expect(result.err).toContain('PARLEY_API_KEY');
    expect(result.err).not.toContain('hunter2');
  });
});

it('escapes control characters in JSON errors', async () => {
  const { code, err } = await runPiped(['list', '--json', '--url', 'ftp://\u009b2J\u202e'], {});
  expect(code).toBe(2);
  expect(err).toMatch(/^[\x20-\x7e]+\n$/);
  expect(JSON.parse(err).message).toContain('\u009b2J\u202e');
});
