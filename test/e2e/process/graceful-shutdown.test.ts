import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { serializeApiKey } from '#contract/permissions';
import { generateApiKey } from '#infra/crypto/api-keys';
import { type RunningProcess, startNodeProcess } from '#test/support/child-process';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

const { key, hash } = generateApiKey();
const processes: RunningProcess[] = [];
afterEach(() => {
  for (const { child } of processes.splice(0)) child.kill('SIGKILL');
});

function startProcess(file: string, env: Record<string, string>, args: string[] = []): RunningProcess {
  const started = startNodeProcess(file, { TEMPORAL_ADDRESS: process.env.PARLEY_TEST_ADDRESS, ...env }, args);
  processes.push(started);
  return started;
}

async function startApi(env: Record<string, string>): Promise<{ api: RunningProcess; url: string }> {
  const api = startProcess('dist/src/api/main.js', {
    PORT: '0',
    PARLEY_SECRET: 'a secret for this test which is as long as 32 random bytes in base64',
    PARLEY_API_KEYS: serializeApiKey({ name: 'me', scopes: ['admin'], hash }),
    ...env,
  });
  const [, url = ''] = await api.waitForOutput(/"url":"(http:[^"]+)"/);
  return { api, url };
}

/** The status, or undefined if the connection is refused. */
const readinessStatus = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ status }) => status,
    () => undefined,
  );

describe('an API that is asked to stop', () => {
  it('is not ready at once, keeps responding, ends its streams, and exits in time', async () => {
    const { api, url } = await startApi({ PARLEY_DRAIN: '20s' });
    while ((await readinessStatus(url)) !== 200);
    const authorization = `Bearer ${key}`;
    const stream = await new Promise<string>((resolve, reject) => {
      let received = '';
      get(`${url}/v1/questions/events`, { headers: { authorization } }, (response) => {
        response.on('data', (chunk: Buffer) => {
          if (received === '') api.child.kill('SIGTERM');
          received += chunk;
        });
        response.once('end', () => resolve(received));
        void expectDraining().catch(reject);
      }).once('error', reject);
      async function expectDraining(): Promise<void> {
        for (let status: number | undefined = 200; status === 200; ) status = await readinessStatus(url);
        expect(await readinessStatus(url)).toBe(503);
        const listed = await fetch(`${url}/v1/conversations`, { headers: { authorization } });
        expect(listed.status).toBe(200);
      }
    });
    expect(stream).toMatch(/^retry: 1000\n/);
    expect(await api.exited).toBe(0);
    expect(await readinessStatus(url)).toBeUndefined();
  });

  it('exits at once if it is asked again', async () => {
    const { api, url } = await startApi({ PARLEY_DRAIN: '10m' });
    while ((await readinessStatus(url)) !== 200);
    api.child.kill('SIGTERM');
    while ((await readinessStatus(url)) !== 503);
    // A second signal right after the first counts as the same.
    await new Promise((resolve) => setTimeout(resolve, 600));
    api.child.kill('SIGTERM');
    expect(await api.exited).toBe(1);
  });
});

describe('a worker that is asked to stop', () => {
  let p: TestParley;
  afterEach(() => p.stop());

  it('finishes a model call if it has the time', async () => {
    let release: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    p = await startParley({
      ownWorker: true,
      startsWorker: false,
      replies: [{ text: 'finished all the same', hold }],
    });
    const worker = startProcess('test/support/recording-tool-worker.js', {
      DIARY: '/dev/null',
      TASK_QUEUE: p.taskQueue,
      PARLEY_DRAIN: '30s',
      ANTHROPIC_API_KEY: 'test',
      ANTHROPIC_BASE_URL: p.model.url,
    });
    await worker.waitForOutput(/running/);
    const id = await p.startConversation();
    await p.model.waitForRequest(0);
    worker.child.kill('SIGTERM');
    // Longer than a worker in a terminal would wait.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    release();
    expect(await worker.exited).toBe(0);
    // The call was made once; the next worker continues with its reply.
    await p.startWorker();
    expect((await p.waitForStatus(id, 'completed')).result).toBe('finished all the same');
    p.model.expectAllRepliesUsed();
  });
});

it('exits by itself when idle, if it is configured to', async () => {
  const env = {
    TEMPORAL_NAMESPACE: `idle-${randomBytes(4).toString('hex')}`,
    PARLEY_IDLE: '1s',
    PARLEY_SECRET: 'a secret for this test which is as long as 32 random bytes in base64',
  };
  const worker = startProcess('dist/worker.js', env, ['--until-idle']);
  await worker.waitForOutput(/worker is running/);
  expect(await worker.exited).toBe(0);
});
