import { ApiKeys, Scope } from '#contract/permissions';
import { findApiKey } from '#infra/crypto/api-keys';
import { EncryptionKeys } from '#infra/crypto/encryption-keys';
import { runPiped } from '#test/support/cli/run-cli';

const run = (...args: string[]) => runPiped(['admin', 'key', ...args], {});

describe('parley admin key', () => {
  it('prints a key and its entry for PARLEY_API_KEYS', async () => {
    const { code, out, err } = await run('--name', 'maria', '--scopes', 'conversations:read,questions:answer');
    expect([code, err]).toEqual([0, '']);
    const [key = ''] = /parley_[\w-]{43}/.exec(out) ?? [];
    const [entry = ''] = /^ +(maria=\S+)$/m.exec(out)?.slice(1) ?? [];
    const keys = ApiKeys.parse(entry);
    expect(keys).toEqual([
      {
        name: 'maria',
        scopes: ['conversations:read', 'questions:answer'],
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(findApiKey(keys, key)?.name).toBe('maria');
    expect(entry).not.toContain(key);
  });

  it('prints an encryption key for the configuration, and how to rotate keys', async () => {
    const { code, out, err } = await run('--encryption', '--id', 'k2');
    expect([code, err]).toEqual([0, '']);
    const [entry = ''] = /^ +(k2:\S+)$/m.exec(out)?.slice(1) ?? [];
    expect(EncryptionKeys.parse(entry)).toEqual([{ id: 'k2', bytes: expect.any(Uint8Array) }]);
    expect(out).toMatch(/Add the new key after .*\n.*Move it to the front/);
    const { out: another } = await run('--encryption');
    expect(another).toMatch(/^ +k\d{4}-\d\d-\d\d-[0-9a-f]{8}:\S{44}$/m);
    expect(another).not.toContain(entry.slice(3));
  });

  it('never gives two encryption keys the same id', async () => {
    const idOf = async () => /^ +(k\d\S+):\S{44}$/m.exec((await run('--encryption')).out)?.[1];
    const first = await idOf();
    expect(first).toBeDefined();
    expect(await idOf()).not.toBe(first);
  });

  it('creates a different key each time', async () => {
    const make = async () => /parley_[\w-]{43}/.exec((await run('--name', 'a', '--scopes', 'admin')).out)?.[0];
    expect(await make()).not.toBe(await make());
  });

  it('shows its usage', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    for (const word of ['--name', '--scopes', ...Scope.options]) expect(out).toContain(word);
  });

  it.each([
    ['nothing', [], 'Missing required option: --name'],
    ['no scopes', ['--name', 'maria'], '--scopes must be'],
    ['no name', ['--scopes', 'admin'], 'Missing required option: --name'],
    ['an invalid name', ['--name', 'a b', '--scopes', 'admin'], '--name: must be 1 to 64'],
    ['an empty name', ['--name', '', '--scopes', 'admin'], '--name: must be 1 to 64'],
    ['an unknown scope', ['--name', 'maria', '--scopes', 'admin,root'], '--scopes must be'],
    ['empty scopes', ['--name', 'maria', '--scopes', ''], '--scopes must be'],
    ['spaces between the scopes', ['--name', 'maria', '--scopes', 'admin, admin'], '--scopes must be'],
    ['an unknown option', ['--name', 'maria', '--scope', 'admin'], '--scope'],
    ['an id for an API key', ['--name', 'maria', '--scopes', 'admin', '--id', 'k1'], '--id requires'],
    ['a name for an encryption key', ['--encryption', '--name', 'maria'], '--encryption cannot be combined'],
    ['an invalid id', ['--encryption', '--id', 'k:1'], '--id: an id is'],
    ['an extra argument', ['--name', 'maria', '--scopes', 'admin', 'x'], 'Too many arguments'],
  ])('refuses %s: it says what is wrong and exits with 2', async (_what, args, message) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(err).toMatch(/^parley: [^\n]+\n$/);
    expect(err).not.toMatch(/parley_[\w-]{20}|at .+:\d+:\d+/);
  });
});
