import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { ApiKeys, Scope } from '#contract/permissions';
import { findApiKey } from '#infra/crypto/api-keys';
import { EncryptionKeys } from '#infra/crypto/encryption-keys';

const FILE = path.join(__dirname, '../../../../dist/src/cli/admin/key.js');

function run(...args: string[]): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [FILE, ...args], { encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

describe('npm run key', () => {
  it('shows a key, and the entry that takes it', () => {
    const { code, stdout, stderr } = run('--name', 'maria', '--scopes', 'conversations:read,questions:answer');
    expect([code, stderr]).toEqual([0, '']);
    const [key = ''] = /parley_[\w-]{43}/.exec(stdout) ?? [];
    const [entry = ''] = /^ +(maria=\S+)$/m.exec(stdout)?.slice(1) ?? [];
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

  it('shows a key to encrypt with, as the configuration takes it, and how to change keys', () => {
    const { code, stdout, stderr } = run('--encryption', '--id', 'k2');
    expect([code, stderr]).toEqual([0, '']);
    const [entry = ''] = /^ +(k2:\S+)$/m.exec(stdout)?.slice(1) ?? [];
    expect(EncryptionKeys.parse(entry)).toEqual([{ id: 'k2', bytes: expect.any(Uint8Array) }]);
    expect(stdout).toMatch(/Add it after .*\n.*Put it first/);
    const another = run('--encryption').stdout;
    expect(another).toMatch(/^ +k\d{4}-\d\d-\d\d-[0-9a-f]{8}:\S{44}$/m);
    expect(another).not.toContain(entry.slice(3));
  });

  it('calls no two keys to encrypt with the same, wherever they are made', () => {
    const idOf = () => /^ +(k\d\S+):\S{44}$/m.exec(run('--encryption').stdout)?.[1];
    const first = idOf();
    expect(first).toBeDefined();
    expect(idOf()).not.toBe(first);
  });

  it('makes another one each time', () => {
    const make = () => /parley_[\w-]{43}/.exec(run('--name', 'a', '--scopes', 'admin').stdout)?.[0];
    expect(make()).not.toBe(make());
  });

  it('says how it is used', () => {
    const { code, stdout } = run('--help');
    expect(code).toBe(0);
    for (const word of ['--name', '--scopes', ...Scope.options]) expect(stdout).toContain(word);
  });

  it.each([
    ['nothing', [], 'Say --name'],
    ['no scopes', ['--name', 'maria'], '--scopes takes'],
    ['no name', ['--scopes', 'admin'], 'Say --name'],
    ['a name that cannot be one', ['--name', 'a b', '--scopes', 'admin'], '--name: a name is'],
    ['an empty name', ['--name', '', '--scopes', 'admin'], '--name: a name is'],
    ['a scope there is not', ['--name', 'maria', '--scopes', 'admin,root'], '--scopes takes'],
    ['no scope at all', ['--name', 'maria', '--scopes', ''], '--scopes takes'],
    ['spaces between the scopes', ['--name', 'maria', '--scopes', 'admin, admin'], '--scopes takes'],
    ['an option there is not', ['--name', 'maria', '--scope', 'admin'], '--scope'],
    ['an id for a key of the API', ['--name', 'maria', '--scopes', 'admin', '--id', 'k1'], '--id goes with'],
    ['a name for one that encrypts', ['--encryption', '--name', 'maria'], '--encryption goes with'],
    ['an id that cannot be one', ['--encryption', '--id', 'k:1'], '--id: an id is'],
    ['a word too many', ['--name', 'maria', '--scopes', 'admin', 'x'], "'x'"],
  ])('makes no key of %s: it says what is wrong, and ends with 2', (_what, args, message) => {
    const { code, stdout, stderr } = run(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain('npm run key -- --name maria');
    expect(stderr).not.toMatch(/parley_[\w-]{20}|at .+:\d+:\d+/);
  });
});
