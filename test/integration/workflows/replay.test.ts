import path from 'node:path';
import { readConfig } from '#channels/read-config';
import { findHistoryFiles, readHistoryFile, readRecordedHistories } from '#cli/admin/replay/recorded-histories';
import {
  collectReplayReport,
  loadCurrentWorkflowCode,
  type ReplayReport,
  replayHistories,
} from '#cli/admin/replay/replay-histories';
import type { EncryptionKeyRing } from '#infra/crypto/encryption-keys';
import { isEncryptedRecording, RECORDING_ENCRYPTION_KEY } from '#test/histories/long-running-scenarios';
import { installTestRuntime } from '#test/support/temporal/runtime';

/** A conversation parked on any version continues with today's code. */
describe('a recorded conversation replays on this code', () => {
  const files = findHistoryFiles([process.env.PARLEY_RECORD_TO || path.join(__dirname, '../../histories')]);
  let report: ReplayReport;
  const replayed = async (some: string[], keys: EncryptionKeyRing | undefined) =>
    collectReplayReport(replayHistories(readRecordedHistories(some), await loadCurrentWorkflowCode(keys)));
  beforeAll(async () => {
    installTestRuntime();
    report = await replayed(
      files.filter((file) => !isEncryptedRecording(file)),
      undefined,
    );
    const { encryption } = readConfig({ PARLEY_ENCRYPTION_KEYS: RECORDING_ENCRYPTION_KEY }).temporal;
    const more = await replayed(files.filter(isEncryptedRecording), encryption);
    report.replayed += more.replayed;
    report.broken.push(...more.broken, ...more.locked);
  });

  it.each(files.map((file) => path.basename(file)))('%s', (name) => {
    expect(report.broken.filter(({ file }) => file?.endsWith(`/${name}`))).toEqual([]);
  });

  it('each of them, and there are some', () => {
    expect(files.length).toBeGreaterThan(process.env.PARLEY_RECORD_TO ? 0 : 60);
    expect(report).toEqual({ replayed: files.length, unbegun: 0, broken: [], locked: [] });
  });

  it('and a difference fails with a one-line reason', async () => {
    const history = readHistoryFile(files.find((file) => file.endsWith('-answered.pb.gz')) ?? '');
    for (const { activityTaskScheduledEventAttributes: scheduled } of history.events ?? []) {
      if (scheduled) scheduled.activityType = { name: 'dream' };
    }
    const { broken } = await collectReplayReport(
      replayHistories([{ id: 'c-1', history }], await loadCurrentWorkflowCode(undefined)),
    );
    expect(broken).toEqual([{ id: 'c-1', reason: expect.stringMatching(/^[^\n]*dream[^\n]*$/) }]);
  });
});
