import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readProcessStartTime } from '#infra/temporal/dev-server/process-table';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import type { TemporalServer } from '#test/support/temporal-postgres/server-process';
import { startPostgresServer } from '#test/support/temporal-postgres/start-postgres-server';

const createTempFolder = () => mkdtempSync(path.join(tmpdir(), 'parley-postgres-test-'));
const noLog = () => undefined;

describe('a Temporal server on PostgreSQL', () => {
  let server: TemporalServer;
  let p: TestParley;
  const folder = createTempFolder();
  beforeAll(async () => {
    server = await startPostgresServer({ folder, log: noLog });
    p = await startParley({
      address: server.address,
      script: (request) =>
        lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
    });
  });
  afterAll(async () => {
    await p.stop();
    const pids = server.parts.map((part) => part.pid());
    await server.stop();
    expect(pids.map(readProcessStartTime)).toEqual([undefined, undefined]);
    expect(existsSync(folder)).toBe(false);
  });

  const part = (name: string) => {
    const found = server.parts.find((each) => each.name === name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  };

  it.each([['temporal'], ['postgres'], ['postgres', 'temporal']])(
    'loses nothing when it is back from a kill of its %s %s',
    async (...names) => {
      const id = await p.startConversation();
      await p.waitForQuestion(id);
      const before = names.map((name) => part(name).pid());
      for (const pid of before) process.kill(pid, 'SIGKILL');
      await Promise.all(names.map((name) => part(name).start()));
      expect(names.map((name) => part(name).isUp())).toEqual(names.map(() => true));
      expect(names.filter((name, index) => part(name).pid() === before[index])).toEqual([]);
      // Temporal reconnects to the database by itself.
      while ((await p.answer(id, { answer: 'A' })).status === 503) await new Promise((r) => setTimeout(r, 100));
      await p.waitForStatus(id, 'completed');
    },
  );

  it('refuses a folder that is not empty', async () => {
    const occupiedFolder = createTempFolder();
    writeFileSync(path.join(occupiedFolder, 'precious'), '');
    await expect(startPostgresServer({ folder: occupiedFolder, log: noLog })).rejects.toThrow('is not empty');
    expect(readdirSync(occupiedFolder)).toEqual(['precious']);
    rmSync(occupiedFolder, { recursive: true });
  });
});

it('stops with its parent process, even one that was killed', async () => {
  const folder = createTempFolder();
  const guarded = spawn('sleep', ['600']);
  const exited = new Promise((resolve) => {
    guarded.once('exit', (_code, signal) => resolve(signal));
  });
  // A stopped process handles no signal but SIGKILL.
  guarded.kill('SIGSTOP');
  const script = `
    const { transformFileSync } = require('@swc/core');
    const options = { jsc: { parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } };
    module._compile(transformFileSync('test/support/temporal-postgres/orphan-reaper.ts', options).code, 'guardian.js');
    module.exports.startOrphanReaper(${JSON.stringify(folder)}).watch([${guarded.pid}]);
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 100);`;
  const { signal } = spawnSync(process.execPath, ['-e', script], { cwd: path.join(__dirname, '../..') });
  expect(signal).toBe('SIGKILL');
  expect(await exited).toMatch(/SIGQUIT|SIGKILL/);
  while (existsSync(folder)) await new Promise((r) => setTimeout(r, 50));
});
