import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadOrCreateSecret } from '#infra/crypto/load-or-create-secret';

describe('the stored secret', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-secret-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is created once, for its owner only, and leaves no other file', () => {
    const secret = loadOrCreateSecret(undefined, folder);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(loadOrCreateSecret(undefined, folder)).toBe(secret);
    expect(readdirSync(folder)).toEqual(['secret']);
    expect(statSync(path.join(folder, 'secret')).mode & 0o777).toBe(0o600);
  });

  it('is in a folder of its owner, if it had to create one', () => {
    const newFolder = path.join(folder, 'data');
    loadOrCreateSecret(undefined, newFolder);
    expect(statSync(newFolder).mode & 0o777).toBe(0o700);
  });

  it('is the configured one, if there is one', () => {
    expect(loadOrCreateSecret('given-by-the-operator', folder)).toBe('given-by-the-operator');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is complete and the same for concurrent starts', async () => {
    const file = path.join(__dirname, '../../../../dist/src/infra/crypto/load-or-create-secret.js');
    const code = `process.stdout.write(require(${JSON.stringify(file)}).loadOrCreateSecret(undefined, ${JSON.stringify(folder)}))`;
    const readInProcess = () =>
      new Promise<string>((resolve) => {
        const child = spawn(process.execPath, ['-e', code]);
        let output = '';
        child.stdout.on('data', (chunk) => {
          output += chunk;
        });
        child.once('close', () => resolve(output));
      });
    const secrets = await Promise.all(Array.from({ length: 6 }, readInProcess));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toHaveLength(64);
  });

  it('is rejected if it is invalid', () => {
    writeFileSync(path.join(folder, 'secret'), '');
    expect(() => loadOrCreateSecret(undefined, folder)).toThrow(/too short/);
  });
});
