import path from 'node:path';
import { readConfig } from '#config';
import type { Keys } from '#contract/encryption';
import { codeHere } from '#replay/check';
import { filesIn, readHistory, recordedIn } from '#replay/recorded';
import { replayAll } from '#replay/replaying';
import { type Report, reportOn } from '#replay/report';
import { isEncrypted, RECORDED_WITH } from '#test/histories/recorded-with';
import { installOnce } from '#test/support/parley';

/** A conversation parked on any version goes on with today's code. */
describe('a recorded conversation replays on this code:', () => {
  const files = filesIn([process.env.PARLEY_RECORD_TO || path.join(__dirname, '../../histories')]);
  let report: Report;
  const replayed = async (some: string[], keys: Keys | undefined) =>
    reportOn(replayAll(recordedIn(some), await codeHere(keys)));
  beforeAll(async () => {
    installOnce();
    report = await replayed(
      files.filter((file) => !isEncrypted(file)),
      undefined,
    );
    const { encryption } = readConfig({ PARLEY_ENCRYPTION_KEYS: RECORDED_WITH }).temporal;
    const more = await replayed(files.filter(isEncrypted), encryption);
    report.replayed += more.replayed;
    report.broken.push(...more.broken, ...more.locked);
  });

  it.each(files.map((file) => path.basename(file)))('%s', (name) => {
    expect(report.broken.filter(({ file }) => file?.endsWith(`/${name}`))).toEqual([]);
  });

  it('each of them, and there are some', () => {
    expect(files.length).toBeGreaterThan(process.env.PARLEY_RECORD_TO ? 0 : 100);
    expect(report).toEqual({ replayed: files.length, unbegun: 0, broken: [], locked: [] });
  });

  it('fails where the code would do something else, and says what in a line', async () => {
    const history = readHistory(path.join(__dirname, '../../histories/0.5.0-answered.pb.gz'));
    for (const { activityTaskScheduledEventAttributes: scheduled } of history.events ?? []) {
      if (scheduled) scheduled.activityType = { name: 'dream' };
    }
    const { broken } = await reportOn(replayAll([{ id: 'c-1', history }], await codeHere(undefined)));
    expect(broken).toEqual([{ id: 'c-1', reason: expect.stringMatching(/^[^\n]*dream[^\n]*$/) }]);
  });
});
