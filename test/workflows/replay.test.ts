import path from 'node:path';
import { codeHere } from '../../src/replay/check';
import { filesIn, readHistory, recordedIn } from '../../src/replay/recorded';
import { replayAll } from '../../src/replay/replaying';
import { type Report, reportOn } from '../../src/replay/report';
import { installOnce } from '../helpers/parley';

/** A conversation parked on any version goes on with today's code. */
describe('a recorded conversation replays on this code:', () => {
  const files = filesIn([path.join(__dirname, '..', 'histories')]);
  let report: Report;
  beforeAll(async () => {
    installOnce();
    report = await reportOn(replayAll(recordedIn(files), await codeHere(undefined)));
  });

  it.each(files.map((file) => path.basename(file)))('%s', (name) => {
    expect(report.broken.filter(({ file }) => file?.endsWith(`/${name}`))).toEqual([]);
  });

  it('each of them, and there are some', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(report).toEqual({ replayed: files.length, unbegun: 0, broken: [], locked: [] });
  });

  it('fails where the code would do something else, and says what in a line', async () => {
    const file = files.find((name) => name.endsWith('-answered.pb.gz')) ?? '';
    const history = readHistory(file);
    for (const { activityTaskScheduledEventAttributes: scheduled } of history.events ?? []) {
      if (scheduled) scheduled.activityType = { name: 'dream' };
    }
    const { broken } = await reportOn(replayAll([{ id: 'c-1', history }], await codeHere(undefined)));
    expect(broken).toEqual([{ id: 'c-1', reason: expect.stringMatching(/^[^\n]*dream[^\n]*$/) }]);
  });
});
