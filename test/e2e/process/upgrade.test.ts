import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';
import { readHistoryFile } from '#cli/admin/replay/recorded-histories';
import { findTemporalCli } from '#infra/temporal/toolchain';
import { startNodeProcess } from '#test/support/child-process';
import { runPiped } from '#test/support/cli/run-cli';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { createMutatedBuild, UNPATCHED_CHANGES } from '#test/support/temporal/mutated-build';

const HISTORIES = path.join(__dirname, '../../histories');
const recordedHistory = (name: string) => path.join(HISTORIES, `1.0.0-alpha.1-${name}.pb.gz`);
/** Nothing listens there. */
const UNREACHABLE_TEMPORAL = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

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

type Build = { codePath: string };

/**
 * Runs a command with the workflows of this build, or of another. `output` is everything it wrote, `stdout` only its
 * result.
 */
async function runCommand(name: 'replay' | 'promote', args: string[], extraEnv: NodeJS.ProcessEnv = {}, build?: Build) {
  const { code, out, err } = await runPiped(
    ['admin', name, ...args],
    { ...env, ...extraEnv },
    '',
    build && (async (keys) => ({ workflowBundle: build, keys })),
  );
  return { exitCode: code, output: err + out, stdout: out };
}

describe('parley admin replay on files', () => {
  /** A history that this code would not produce. */
  function writeBrokenHistory(name: string): string {
    const history = readHistoryFile(recordedHistory('answered'));
    for (const { activityTaskScheduledEventAttributes: scheduled } of history.events ?? [])
      if (scheduled) scheduled.activityType = { name: 'dream' };
    const file = path.join(folder, name);
    writeFileSync(file, gzipSync(temporal.api.history.v1.History.encode(history).finish()));
    return file;
  }

  it('exits with 0 if all can continue', async () => {
    const { exitCode, output } = await runCommand(
      'replay',
      [recordedHistory('parked'), recordedHistory('approved')],
      UNREACHABLE_TEMPORAL,
    );
    expect([exitCode, output]).toEqual([0, '2 histories replayed (recorded), none would break.\n']);
  });

  it('exits with 1 if one in a folder would break, and says which and why', async () => {
    const file = writeBrokenHistory('broken.pb.gz');
    writeFileSync(path.join(folder, 'notes.txt'), 'no history');
    const { exitCode, output } = await runCommand('replay', [folder], UNREACHABLE_TEMPORAL);
    expect(exitCode).toBe(1);
    expect(output).toContain(
      `1 history replayed (recorded), 1 would break.\n\nWould break on this build:\n  ${file}\n`,
    );
    expect(output).toMatch(/^ {6}[^\n]*dream[^\n]*$/m);
    rmSync(file);
  });

  it.each([
    [['--opne'], /^parley: Unknown option '--opne'.*See parley admin replay --help\.$/m],
    [[], /^parley: Pass --open, --id ID, or the files to replay\.$/m],
    [['--open', 'a.json'], /^parley: Pass --open, --id ID, or the files to replay\.$/m],
    [['--sample', '5', 'a.json'], /^parley: --sample requires --open\.$/m],
    [['--open', '--id', 'c-1'], /^parley: Pass either --open or --id, not both\.$/m],
    [['--open', '--sample', 'few'], /^parley: --sample must be a whole number of at least 1\.$/m],
    [['nowhere.json'], /^parley: File or folder not found: nowhere\.json\.$/m],
    [[__filename], /upgrade\.test\.ts is not a history: /],
    [[__dirname], /^parley: No histories \(\.pb\.gz, \.json\) found in .*process\.$/m],
    [['--open'], /^parley: Can't reach Temporal at 127\.0\.0\.1:1: .*Check TEMPORAL_ADDRESS\.$/m],
  ])('exits with 2 if it cannot find out, and says what to do: %j', async (args, message) => {
    const { exitCode, output, stdout } = await runCommand('replay', args, UNREACHABLE_TEMPORAL);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(output).toMatch(message);
    expect(output).not.toMatch(/^ +at /m);
  });
});

describe('with builds', () => {
  let p: TestParley;
  let incompatibleBuild: Awaited<ReturnType<typeof createMutatedBuild>>;
  let firstPromotion: Awaited<ReturnType<typeof runCommand>>;
  let parkedId: string;
  let undatedId: string;
  const promote = (args: string[], extraEnv?: NodeJS.ProcessEnv, build?: Build) =>
    runCommand('promote', [...args, '--task-queue', p.taskQueue], extraEnv, build);
  const shortWaitArgs = ['--no-replay', '--wait', '1'];

  beforeAll(async () => {
    incompatibleBuild = await createMutatedBuild(UNPATCHED_CHANGES);
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
    firstPromotion = await promote(['a']);
    parkedId = await p.startConversation();
    undatedId = await p.startConversation('Wait for ever');
    for (const id of [parkedId, undatedId]) await p.waitForQuestion(id);
  });
  afterAll(async () => {
    await p.stop();
    incompatibleBuild.remove();
  });

  describe('parley admin replay', () => {
    it('exits with 0 if all open conversations can continue', async () => {
      const { exitCode, stdout } = await runCommand('replay', ['--open']);
      expect([exitCode, stdout]).toEqual([
        0,
        `2 histories replayed (open in ${env.TEMPORAL_NAMESPACE}), none would break.\n`,
      ]);
    });

    it('replays a sample or a single conversation, and prints JSON', async () => {
      const cleanReport = { unbegun: 0, broken: [], locked: [] };
      const [limitedRun, singleRun] = await Promise.all([
        runCommand('replay', ['--open', '--sample', '1', '--json']),
        runCommand('replay', ['--id', parkedId, '--json']),
      ]);
      for (const { exitCode, stdout } of [limitedRun, singleRun])
        expect([exitCode, JSON.parse(stdout)]).toEqual([0, { replayed: 1, ...cleanReport }]);
      expect(limitedRun.output).toContain('Replaying 1 of 2 open workflows');
      const missingRun = await runCommand('replay', ['--id', 'c-none']);
      expect([missingRun.exitCode, missingRun.stdout]).toEqual([2, '']);
      expect(missingRun.output).toContain(`Conversation c-none not found in ${env.TEMPORAL_NAMESPACE}.`);
    });

    it('exits with 1 on a build that breaks a conversation, and lists it', async () => {
      const { exitCode, output } = await runCommand('replay', ['--open'], {}, incompatibleBuild);
      expect(exitCode).toBe(1);
      expect(output).toContain('2 histories replayed');
      expect(output).toContain('1 would break.');
      expect(output).toContain(`  ${parkedId}  agent ${p.agent}\n`);
      // It has no deadline, so the build's additional step comes last and is harmless.
      expect(output).not.toContain(undatedId);
    });

    it('reads a history as the Temporal CLI prints it', async () => {
      const connectionArgs = ['--address', env.TEMPORAL_ADDRESS ?? '', '--namespace', env.TEMPORAL_NAMESPACE ?? ''];
      const showArgs = ['workflow', 'show', '--workflow-id', parkedId, '--output', 'json', ...connectionArgs];
      const file = path.join(folder, 'shown.json');
      writeFileSync(file, (await promisify(execFile)(findTemporalCli(), showArgs)).stdout);
      const [onThisBuild, onOtherBuild] = await Promise.all([
        runCommand('replay', [file]),
        runCommand('replay', [file], {}, incompatibleBuild),
      ]);
      expect([onThisBuild.exitCode, onThisBuild.output]).toEqual([
        0,
        '1 history replayed (recorded), none would break.\n',
      ]);
      expect(onOtherBuild.exitCode).toBe(1);
    });

    it('exits with 2 if a key is missing: the conversation is locked, not broken', async () => {
      const key = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString('base64')}`;
      const encryptedParley = await startParley({
        ownWorker: true,
        replies: [replyWithQuestion('Which?')],
        env: { ...env, PARLEY_ENCRYPTION_KEYS: key(1) },
      });
      const id = await encryptedParley.startConversation();
      await encryptedParley.waitForQuestion(id);
      const replayNewest = (keys: string) =>
        runCommand('replay', ['--open', '--sample', '1', '--json'], { PARLEY_ENCRYPTION_KEYS: keys });
      const [withoutKey, withWrongKey, withRightKey] = await Promise.all([
        replayNewest(''),
        replayNewest(key(2)),
        replayNewest(key(1)),
      ]);
      for (const { exitCode, stdout } of [withoutKey, withWrongKey]) {
        const reason = expect.stringContaining('k1');
        const locked = [expect.objectContaining({ id, agent: encryptedParley.agent, reason })];
        expect([exitCode, JSON.parse(stdout)]).toEqual([2, { replayed: 0, unbegun: 0, broken: [], locked }]);
      }
      expect([withRightKey.exitCode, JSON.parse(withRightKey.stdout).replayed]).toEqual([0, 1]);
      await encryptedParley.call('POST', `/v1/conversations/${id}/cancel`);
      await encryptedParley.waitForStatus(id, 'cancelled');
      await encryptedParley.stop();
    });
  });

  describe('parley admin promote', () => {
    it('replays, makes a build the current one, and says how to roll back', () => {
      expect(firstPromotion.exitCode).toBe(0);
      expect(firstPromotion.stdout).toBe(
        'Build a is now current: it handles every conversation from its next step on.\nPreviously: workers without a build id.\nTo roll back: parley admin promote --unversioned\n',
      );
    });

    it.each([
      [
        ['b', ...shortWaitArgs],
        /No worker of build b is polling.*PARLEY_BUILD_ID=b first, or promote anyway with --force.*Known builds: a\./s,
      ],
      [
        ['b', '--no-replay', '--force'],
        /^parley: Build b not found in deployment parley\. Known builds: a\. Start a worker with PARLEY_BUILD_ID=b first\.$/m,
      ],
      [
        ['a', '--no-replay', '--force', '--deployment', 'other'],
        /^parley: Deployment other not found: .*PARLEY_BUILD_ID=a and PARLEY_DEPLOYMENT=other\.$/m,
      ],
      [
        ['--unversioned', ...shortWaitArgs],
        /No worker without a build id is polling task queue.*Start one without PARLEY_BUILD_ID first/s,
      ],
    ])('exits with 1 if conversations would be left without a worker: %j', async (args, message) => {
      const { exitCode, output, stdout } = await promote(args);
      expect([exitCode, stdout]).toEqual([1, '']);
      expect(output).toMatch(message);
    });

    it('exits with 1 if conversations would break, or if the code here is of another build', async () => {
      const refusedForReplay = await promote(['a'], {}, incompatibleBuild);
      expect([refusedForReplay.exitCode, refusedForReplay.stdout]).toEqual([1, '']);
      expect(refusedForReplay.output).toContain(`  ${parkedId}  agent ${p.agent}`);
      expect(refusedForReplay.output).toContain('Nothing was changed.');
      const refusedForOtherBuild = await promote(['a'], { PARLEY_BUILD_ID: 'z' });
      expect(refusedForOtherBuild.exitCode).toBe(1);
      expect(refusedForOtherBuild.output).toMatch(
        /^parley: This is build z \(PARLEY_BUILD_ID\).*can't check a\..*--no-replay\.$/m,
      );
    });

    it.each([
      [['a', '--rmap', '5'], {}, /^parley: Unknown option '--rmap'.*See parley admin promote --help\.$/m],
      [[], {}, /^parley: Pass either a BUILD or --unversioned\.$/m],
      [['a', '--ramp', '200'], {}, /^parley: --ramp must be a number from 0 to 100\.$/m],
      [['a', '--sample', '0'], {}, /^parley: --sample must be a whole number of at least 1\.$/m],
      [['a'], UNREACHABLE_TEMPORAL, /^parley: Can't reach Temporal at 127\.0\.0\.1:1: .*Check TEMPORAL_ADDRESS\.$/m],
      [
        ['a', ...shortWaitArgs],
        { TEMPORAL_NAMESPACE: 'nowhere' },
        /^parley: Namespace nowhere not found at .*Check TEMPORAL_NAMESPACE\.$/m,
      ],
    ])('exits with 2 if it cannot run: %j %j', async (args, extraEnv, message) => {
      const { exitCode, output, stdout } = await promote(args, extraEnv);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(output).toMatch(message);
      expect(output).not.toMatch(/^ +at /m);
    });

    /** As `GET /v1/status` counts them. */
    async function waitForWorkers(expected: number): Promise<void> {
      const count = async () => (await p.call<{ workers: number }>('GET', '/v1/status')).body.workers;
      while ((await count()) !== expected) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    /** In a separate process, because Temporal identifies workers by it. */
    async function startSecondWorker(build: NodeJS.ProcessEnv, logMessage: string) {
      const extraEnv = { TASK_QUEUE: p.taskQueue, ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: p.model.url };
      const worker = startNodeProcess('test/support/recording-tool-worker.js', {
        ...env,
        ...extraEnv,
        ...build,
        LOG_LEVEL: 'info',
      });
      await Promise.all([
        worker.waitForOutput(/^running$/m),
        worker.waitForOutput(new RegExp(`"msg":"${logMessage}"`)),
      ]);
      return async () => {
        worker.child.kill('SIGKILL');
        await worker.exited;
      };
    }
    async function expectPromoted(args: string[], ...lines: string[]): Promise<void> {
      const { exitCode, output, stdout } = await promote([...args, '--no-replay']);
      expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.anything() });
      expect(stdout.trimEnd().split('\n')).toEqual(lines);
    }

    async function ramp(): Promise<void> {
      await expectPromoted(
        ['b', '--ramp', '50'],
        'Build b handles 50 % of the conversations; build a the rest.',
        'To roll back: parley admin promote a',
      );
      await waitForWorkers(2);
    }

    it('ramps a build beside the current one, promotes it, and rolls back', async () => {
      const stop = await startSecondWorker(
        { PARLEY_BUILD_ID: 'b' },
        'this build is not the current one and gets no work: parley admin promote b',
      );
      await ramp();
      await expectPromoted(
        ['a'],
        'Build a is now current: it handles every conversation from its next step on.',
        'Previously: build a, with build b for 50 %.',
        'To roll back: parley admin promote b --ramp 50',
      );
      await waitForWorkers(1);
      await ramp();
      await expectPromoted(
        ['b'],
        'Build b is now current: it handles every conversation from its next step on.',
        'Previously: build a, with build b for 50 %.',
        'To roll back: parley admin promote a',
      );
      await waitForWorkers(1);
      await p.answer(undatedId, { answer: 'So' });
      await p.waitForStatus(undatedId, 'completed');
      await expectPromoted(
        ['a'],
        'Build a is now current: it handles every conversation from its next step on.',
        'Previously: build b.',
        'To roll back: parley admin promote b',
      );
      await stop();
      await p.answer(parkedId, { answer: 'So' });
      await p.waitForStatus(parkedId, 'completed');
    });

    it('rolls back to workers without a build id, which got no work beside a build', async () => {
      const stop = await startSecondWorker(
        {},
        'this worker has no PARLEY_BUILD_ID and gets no work, because build a is current: set PARLEY_BUILD_ID, or parley admin promote --unversioned',
      );
      await waitForWorkers(1);
      await expectPromoted(
        ['--unversioned'],
        'Workers without a build id handle every conversation from its next step on.',
        'Previously: build a.',
        'To roll back: parley admin promote a',
      );
      await p.stopWorker();
      const id = await p.startConversation();
      await p.waitForQuestion(id);
      await stop();
    });
  });
});
