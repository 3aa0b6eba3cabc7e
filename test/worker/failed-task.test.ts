import { anotherBuild, CARELESS } from '../helpers/another-build';
import { collectLog } from '../helpers/log';
import { installOnce, type Parley, parley } from '../helpers/parley';
import { ask } from '../helpers/scripted-model';

describe('a worker whose code breaks a conversation', () => {
  const log = collectLog();
  let p: Parley;
  let careless: Awaited<ReturnType<typeof anotherBuild>>;
  beforeAll(async () => {
    installOnce(log.log);
    careless = await anotherBuild(CARELESS);
    p = await parley({ replies: [ask('Which secret?', 'A', 'B')] });
  });
  afterAll(async () => {
    await p.stop();
    careless.remove();
  });

  it('says which and why in one line, without what was said in it', async () => {
    const id = await p.start();
    await p.question(id);
    const { runId } = await p.client.workflow.getHandle(id).describe();
    await p.stopWorker();
    await p.startWorker({ workflowBundle: careless });
    await p.answer(id, { answer: 'A' });
    const line = await log.until(({ msg }) => String(msg).includes('cannot go on'));
    expect(line).toMatchObject({
      run: runId,
      level: 50,
      why: expect.stringMatching(/^[^\n]*HistoryEvent[^\n]*$/),
    });
    expect(log.text()).not.toContain('secret');
  });
});
