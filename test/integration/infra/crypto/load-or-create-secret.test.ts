import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadOrCreateSecret } from '#infra/crypto/load-or-create-secret';

describe('the secret that is kept', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-secret-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is made once, for its owner only, and nothing else is left', () => {
    const made = loadOrCreateSecret(undefined, folder);
    expect(made).toMatch(/^[0-9a-f]{64}$/);
    expect(loadOrCreateSecret(undefined, folder)).toBe(made);
    expect(readdirSync(folder)).toEqual(['secret']);
    expect(statSync(path.join(folder, 'secret')).mode & 0o777).toBe(0o600);
  });

  it('lies in a folder of its owner, where it had to make one', () => {
    const made = path.join(folder, 'data');
    loadOrCreateSecret(undefined, made);
    expect(statSync(made).mode & 0o777).toBe(0o700);
  });

  it('is the one that is set, where one is', () => {
    expect(loadOrCreateSecret('given-by-the-operator', folder)).toBe('given-by-the-operator');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is whole and the same for all that start at once', async () => {
    const file = path.join(__dirname, '../../../../dist/src/infra/crypto/load-or-create-secret.js');
    const code = `process.stdout.write(require(${JSON.stringify(file)}).loadOrCreateSecret(undefined, ${JSON.stringify(folder)}))`;
    const read = () =>
      new Promise<string>((resolve) => {
        const child = spawn(process.execPath, ['-e', code]);
        let said = '';
        child.stdout.on('data', (chunk) => {
          said += chunk;
        });
        child.once('close', () => resolve(said));
      });
    const all = await Promise.all(Array.from({ length: 6 }, read));
    expect(new Set(all).size).toBe(1);
    expect(all[0]).toHaveLength(64);
  });

  it('is refused where it is none', () => {
    writeFileSync(path.join(folder, 'secret'), '');
    expect(() => loadOrCreateSecret(undefined, folder)).toThrow(/too short to be one/);
  });
});
