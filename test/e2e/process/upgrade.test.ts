import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';
import { runPromoteCommand } from '#cli/admin/promote/main';
import { runReplayCommand } from '#cli/admin/replay/main';
import { readHistoryFile } from '#cli/admin/replay/recorded-histories';
import { findTemporalCli } from '#infra/temporal/toolchain';
import { startNodeProcess } from '#test/support/child-process';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { createMutatedBuild, UNPATCHED_CHANGES } from '#test/support/temporal/mutated-build';

const HISTORIES = path.join(__dirname, '../../histories');
const recorded = (name: string) => path.join(HISTORIES, `${name}.pb.gz`);
/** Nobody listens there. */
const NOBODY = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

let folder: string;
let env: Record<string, string>;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-upgrade-'));
  env = {
    TEMPORAL_ADDRESS: process.env.PARLEY_TEST_ADDRESS ?? '',
    TEMPORAL_NAMESPACE: `upgrade-${randomBytes(4).toString('hex')}`,
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const COMMANDS = { replay: runReplayCommand, promote: runPromoteCommand };
type Build = { codePath: string };

/** Runs a command with the workflows of this build, or of another one. `said` is all it wrote, `printed` its result. */
async function runCommand(name: keyof typeof COMMANDS, args: string[], more: NodeJS.ProcessEnv = {}, build?: Build) {
  const lines: string[] = [];
  const printed: string[] = [];
  const code = await COMMANDS[name](args, {
    env: { ...env, ...more },
    say: (line) => void lines.push(`${line}\n`),
    print: (line) => {
      lines.push(`${line}\n`);
      printed.push(`${line}\n`);
    },
    ...(build ? { codeFor: async (keys) => ({ workflowBundle: build, keys }) } : {}),
  });
  return { code, said: lines.join(''), printed: printed.join('') };
}

describe('npm run replay, on files,', () => {
  /** A history that this code would not make. */
  function broken(name: string): string {
    const history = readHistoryFile(recorded('0.5.0-answered'));
    for (const { activityTaskScheduledEventAttributes: scheduled } of history.events ?? [])
      if (scheduled) scheduled.activityType = { name: 'dream' };
    const file = path.join(folder, name);
    writeFileSync(file, gzipSync(temporal.api.history.v1.History.encode(history).finish()));
    return file;
  }

  it('ends with 0 where all go on', async () => {
    const { code, said } = await runCommand('replay', [recorded('0.1.0-parked'), recorded('0.3.0-approved')], NOBODY);
    expect([code, said]).toEqual([0, '2 histories replayed (recorded), none would break.\n']);
  });

  it('ends with 1 where one of a folder would break, and says which and why', async () => {
    const file = broken('broken.pb.gz');
    writeFileSync(path.join(folder, 'notes.txt'), 'no history');
    const { code, said } = await runCommand('replay', [folder], NOBODY);
    expect(code).toBe(1);
    expect(said).toContain(`1 history replayed (recorded), 1 would break.\n\nWould break on this build:\n  ${file}\n`);
    expect(said).toMatch(/^ {6}[^\n]*dream[^\n]*$/m);
    rmSync(file);
  });

  it.each([
    [['--opne'], /Unknown option '--opne'.*npm run replay -- --open/s],
    [[], /^Say --open, --id ID, or which files to replay\.$/m],
    [['--open', 'a.json'], /^Say --open, --id ID, or which files to replay\.$/m],
    [['--limit', '5', 'a.json'], /^--limit and --sample are for --open\.$/m],
    [['--open', '--id', 'c-1'], /^Say either --open or --id\.$/m],
    [['--open', '--limit', 'few'], /^--limit takes a number, at least 1\.$/m],
    [['nowhere.json'], /^There is no file or folder nowhere\.json\.$/m],
    [[__filename], /upgrade\.test\.ts holds no history: /],
    [[__dirname], /^There are no histories \(\.pb\.gz, \.json\) in .*process\.$/m],
    [['--open'], /^Temporal cannot be reached at 127\.0\.0\.1:1: .*Check TEMPORAL_ADDRESS\.$/m],
  ])('ends with 2 where it cannot tell, and says what to do: %j', async (args, sentence) => {
    const { code, said, printed } = await runCommand('replay', args, NOBODY);
    expect([code, printed]).toEqual([2, '']);
    expect(said).toMatch(sentence);
    expect(said).not.toMatch(/^ +at /m);
  });
});

describe('with builds,', () => {
  let p: TestParley;
  let careless: Awaited<ReturnType<typeof createMutatedBuild>>;
  let first: Awaited<ReturnType<typeof runCommand>>;
  let parked: string;
  let forever: string;
  const promote = (args: string[], more?: NodeJS.ProcessEnv, build?: Build) =>
    runCommand('promote', [...args, '--task-queue', p.taskQueue], more, build);
  const quickly = ['--no-replay', '--wait', '1'];

  beforeAll(async () => {
    careless = await createMutatedBuild(UNPATCHED_CHANGES);
    p = await startParley({
      ownWorker: true,
      env: { ...env, PARLEY_BUILD_ID: 'a' },
      script: (request) => {
        if (lastToolResults(request).length > 0) return replyWithText('done');
        const isPatient = JSON.stringify(request.body.messages).includes('for ever');
        return {
          calls: [
            {
              name: 'ask_user_question',
              input: { questions: [{ question: 'Which?' }], ...(isPatient ? { timeout: 'never' } : {}) },
            },
          ],
        };
      },
    });
    first = await promote(['a']);
    parked = await p.start();
    forever = await p.start('Wait for ever');
    for (const id of [parked, forever]) await p.question(id);
  });
  afterAll(async () => {
    await p.stop();
    careless.remove();
  });

  describe('npm run replay', () => {
    it('ends with 0 where all that is open goes on', async () => {
      const { code, printed } = await runCommand('replay', ['--open']);
      expect([code, printed]).toEqual([
        0,
        `2 histories replayed (open in ${env.TEMPORAL_NAMESPACE}), none would break.\n`,
      ]);
    });

    it('takes some of them, or one, and tells it to programs', async () => {
      const fine = { unbegun: 0, broken: [], locked: [] };
      const [some, one] = await Promise.all([
        runCommand('replay', ['--open', '--limit', '1', '--json']),
        runCommand('replay', ['--id', parked, '--json']),
      ]);
      for (const { code, printed } of [some, one])
        expect([code, JSON.parse(printed)]).toEqual([0, { replayed: 1, ...fine }]);
      expect(some.said).toContain('Replaying 1 of 2 that are open');
      const none = await runCommand('replay', ['--id', 'c-none']);
      expect([none.code, none.printed]).toEqual([2, '']);
      expect(none.said).toContain(`There is no conversation c-none in ${env.TEMPORAL_NAMESPACE}.`);
    });

    it('ends with 1 on a build that breaks one, and lists that one', async () => {
      const question = await p.question(parked);
      const { code, said } = await runCommand('replay', ['--open'], {}, careless);
      expect(code).toBe(1);
      expect(said).toContain('2 histories replayed');
      expect(said).toContain('1 would break.');
      expect(said).toContain(`  ${parked}  agent ${p.agent}  question open since ${question.askedAt}\n`);
      // It has no deadline: what the build does more comes last, and does no harm.
      expect(said).not.toContain(forever);
    });

    it('takes a history as the Temporal CLI shows it', async () => {
      const place = ['--address', env.TEMPORAL_ADDRESS ?? '', '--namespace', env.TEMPORAL_NAMESPACE ?? ''];
      const shown = ['workflow', 'show', '--workflow-id', parked, '--output', 'json', ...place];
      const file = path.join(folder, 'shown.json');
      writeFileSync(file, (await promisify(execFile)(findTemporalCli(), shown)).stdout);
      const [here, there] = await Promise.all([
        runCommand('replay', [file]),
        runCommand('replay', [file], {}, careless),
      ]);
      expect([here.code, here.said]).toEqual([0, '1 history replayed (recorded), none would break.\n']);
      expect(there.code).toBe(1);
    });

    it('ends with 2 where the key is missing: it is locked, and not broken', async () => {
      const key = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString('base64')}`;
      const q = await startParley({
        ownWorker: true,
        replies: [replyWithQuestion('Which?')],
        env: { ...env, PARLEY_ENCRYPTION_KEYS: key(1) },
      });
      const id = await q.start();
      await q.question(id);
      const newest = (keys: string) =>
        runCommand('replay', ['--open', '--limit', '1', '--json'], { PARLEY_ENCRYPTION_KEYS: keys });
      const [none, other, right] = await Promise.all([newest(''), newest(key(2)), newest(key(1))]);
      for (const { code, printed } of [none, other]) {
        const reason = expect.stringContaining('k1');
        const locked = [expect.objectContaining({ id, agent: q.agent, questionSince: null, reason })];
        expect([code, JSON.parse(printed)]).toEqual([2, { replayed: 0, unbegun: 0, broken: [], locked }]);
      }
      expect([right.code, JSON.parse(right.printed).replayed]).toEqual([0, 1]);
      await q.call('POST', `/v1/conversations/${id}/cancel`);
      await q.until(id, 'cancelled');
      await q.stop();
    });
  });

  describe('npm run promote', () => {
    it('replays, makes a build the current one, and says how to go back', () => {
      expect(first.code).toBe(0);
      expect(first.printed).toBe(
        'Build a is the current one: it takes up every conversation at its next step.\nBefore, workers without a build id took them up.\nTo go back: npm run promote -- --unversioned\n',
      );
    });

    it.each([
      [
        ['b', ...quickly],
        /No worker of build b asks for work.*PARLEY_BUILD_ID=b first; with --force.*never seen that build, only a\./s,
      ],
      [
        ['b', '--no-replay', '--force'],
        /^There is no build b in the deployment parley, only a\. Start a worker with PARLEY_BUILD_ID=b first\.$/m,
      ],
      [
        ['a', '--no-replay', '--force', '--deployment', 'other'],
        /^There is no deployment other: .*PARLEY_BUILD_ID=a and PARLEY_DEPLOYMENT=other\.$/m,
      ],
      [
        ['--unversioned', ...quickly],
        /No worker without a build id asks for work.*Start one without PARLEY_BUILD_ID first/s,
      ],
    ])('ends with 1 where it would leave conversations to nobody: %j', async (args, sentence) => {
      const { code, said, printed } = await promote(args);
      expect([code, printed]).toEqual([1, '']);
      expect(said).toMatch(sentence);
    });

    it('ends with 1 where conversations would break, and where the code here is another build’s', async () => {
      const refused = await promote(['a'], {}, careless);
      expect([refused.code, refused.printed]).toEqual([1, '']);
      expect(refused.said).toContain(`  ${parked}  agent ${p.agent}`);
      expect(refused.said).toContain('Nothing was changed.');
      const other = await promote(['a'], { PARLEY_BUILD_ID: 'z' });
      expect(other.code).toBe(1);
      expect(other.said).toMatch(/^This is build z \(PARLEY_BUILD_ID\).*nothing about a\..*--no-replay\.$/m);
    });

    it.each([
      [['a', '--rmap', '5'], {}, /Unknown option '--rmap'.*npm run promote -- BUILD/s],
      [[], {}, /^Say which build: one BUILD, or --unversioned\.$/m],
      [['a', '--ramp', '200'], {}, /^--ramp takes a number from 0 to 100\.$/m],
      [['a', '--sample', '0'], {}, /^--sample takes a number, at least 1\.$/m],
      [['a'], NOBODY, /^Temporal cannot be reached at 127\.0\.0\.1:1: .*Check TEMPORAL_ADDRESS\.$/m],
      [
        ['a', ...quickly],
        { TEMPORAL_NAMESPACE: 'nowhere' },
        /^There is no namespace nowhere at .*Check TEMPORAL_NAMESPACE\.$/m,
      ],
    ])('ends with 2 where it cannot run: %j %j', async (args, more, sentence) => {
      const { code, said, printed } = await promote(args, more);
      expect([code, printed]).toEqual([2, '']);
      expect(said).toMatch(sentence);
      expect(said).not.toMatch(/^ +at /m);
    });

    /** As `GET /v1/status` counts them. */
    async function untilWorkers(wanted: number): Promise<void> {
      const count = async () => (await p.call<{ workers: number }>('GET', '/v1/status')).body.workers;
      while ((await count()) !== wanted) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    /** In a process of its own: Temporal tells workers apart by it. */
    async function beside(build: NodeJS.ProcessEnv, says: string) {
      const more = { TASK_QUEUE: p.taskQueue, ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: p.model.url };
      const worker = startNodeProcess('test/support/recording-tool-worker.js', {
        ...env,
        ...more,
        ...build,
        LOG_LEVEL: 'info',
      });
      await Promise.all([worker.until(/^running$/m), worker.until(new RegExp(`"msg":"${says}"`))]);
      return async () => {
        worker.child.kill('SIGKILL');
        await worker.ended;
      };
    }
    async function expectDone(args: string[], ...lines: string[]): Promise<void> {
      const { code, said, printed } = await promote([...args, '--no-replay']);
      expect({ code, said }).toEqual({ code: 0, said: expect.anything() });
      expect(printed.trimEnd().split('\n')).toEqual(lines);
    }

    async function ramp(): Promise<void> {
      await expectDone(
        ['b', '--ramp', '50'],
        'Build b takes up 50 % of the conversations; build a the rest.',
        'To go back: npm run promote -- a',
      );
      await untilWorkers(2);
    }

    it('ramps a build beside the current one, promotes it, and goes back', async () => {
      const stop = await beside(
        { PARLEY_BUILD_ID: 'b' },
        'this build is not the current one, and gets no work: npm run promote -- b',
      );
      await ramp();
      await expectDone(
        ['a'],
        'Build a is the current one: it takes up every conversation at its next step.',
        'Before, build a took them up, and build b 50 % of them.',
        'To go back: npm run promote -- b --ramp 50',
      );
      await untilWorkers(1);
      await ramp();
      await expectDone(
        ['b'],
        'Build b is the current one: it takes up every conversation at its next step.',
        'Before, build a took them up, and build b 50 % of them.',
        'To go back: npm run promote -- a',
      );
      await untilWorkers(1);
      await p.answer(forever, { answer: 'So' });
      await p.until(forever, 'completed');
      await expectDone(
        ['a'],
        'Build a is the current one: it takes up every conversation at its next step.',
        'Before, build b took them up.',
        'To go back: npm run promote -- b',
      );
      await stop();
      await p.answer(parked, { answer: 'So' });
      await p.until(parked, 'completed');
    });

    it('goes back to workers without a build id, which got no work beside a build', async () => {
      const stop = await beside(
        {},
        'this worker has no PARLEY_BUILD_ID and gets no work, since build a is the current one: set PARLEY_BUILD_ID, or npm run promote -- --unversioned',
      );
      await untilWorkers(1);
      await expectDone(
        ['--unversioned'],
        'Workers without a build id take up every conversation at its next step.',
        'Before, build a took them up.',
        'To go back: npm run promote -- a',
      );
      await p.stopWorker();
      const id = await p.start();
      await p.question(id);
      await stop();
    });
  });
});
