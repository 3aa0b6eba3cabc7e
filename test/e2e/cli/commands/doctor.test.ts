import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkAddress, checkServerStatus, type DoctorCheck } from '#cli/commands/doctor';
import { exampleServerStatus } from '#contract/operations/examples';
import { runPiped } from '#test/support/cli/run-cli';
import { runOnScreen, type TerminalScreen } from '#test/support/cli/terminal-screen';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { startSwitchableTcpProxy } from '#test/support/tcp-proxy';

interface DoctorRun {
  code: number;
  ok: boolean;
  checks: DoctorCheck[];
  check(name: string): DoctorCheck | undefined;
}

async function runDoctor(env: Record<string, string>): Promise<DoctorRun> {
  const { code, out, err } = await runPiped(['doctor', '--json'], env);
  expect(err).toBe('');
  const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: DoctorCheck[] };
  for (const check of checks) {
    expect(Object.keys(check)).toEqual(['name', 'state', 'said', ...(check.state === 'ok' ? [] : ['next'])]);
    expect(check.said).toMatch(/\w/);
  }
  return { code, ok, checks, check: (name) => checks.find((check) => check.name === name) };
}

const settings = { url: 'http://127.0.0.1:3000', urlSource: 'default', key: undefined } as const;

describe('parley doctor', () => {
  let open: TestParley;
  let locked: TestParley;
  let screen: TerminalScreen | undefined;
  beforeAll(async () => {
    open = await startParley();
    locked = await startParley({
      startsWorker: false,
      keys: { maria: ['questions:answer'], boss: ['admin'] },
      env: { PARLEY_SMTP_URL: 'smtp://127.0.0.1:2525', PARLEY_EMAIL_FROM: 'parley@example.com' },
    });
  });
  afterEach(() => {
    screen?.close();
    screen = undefined;
  });
  afterAll(() => Promise.all([open.stop(), locked.stop()]));

  it('finds no problem if there is none', async () => {
    const { code, ok, checks } = await runDoctor({ PARLEY_URL: open.url });
    expect([code, ok, checks.filter(({ state }) => state !== 'ok')]).toEqual([0, true, []]);
    const names = ['Address', 'Access', 'Version', 'Temporal', 'Workers', 'Agents', 'Channels'];
    expect(checks.map(({ name }) => name)).toEqual(names);
  });

  it('shows people the same with symbols', async () => {
    screen = runOnScreen(['doctor'], { env: { PARLEY_URL: open.url } });
    const shown = await screen.waitFor('Everything looks good.');
    expect(shown).toContain(`✓ Address   ${open.url} (PARLEY_URL)`);
    expect(await screen.waitForExit()).toBe(0);
  });

  it('reports missing scopes, the channels, and that no worker is running', async () => {
    const env = { PARLEY_URL: locked.url, PARLEY_API_KEY: locked.apiKey('maria') };
    const { code, ok, check } = await runDoctor(env);
    expect([code, ok]).toEqual([1, false]);
    expect(check('Access')).toMatchObject({
      state: 'warn',
      said: 'You are maria: questions:answer; not conversations:write, conversations:read',
    });
    expect(check('Workers')).toMatchObject({ state: 'fail', next: expect.stringContaining('npm run worker') });
    expect(check('Channels')?.said).toContain('Email, Webhook (not set up: Slack)');
  });

  it('never shows a key', async () => {
    const key = locked.apiKey('boss');
    const { out } = await runPiped(['doctor'], { PARLEY_URL: locked.url, PARLEY_API_KEY: key });
    expect(out).toContain('You are boss');
    expect(out).not.toContain(key.slice(0, 11));
  });

  it.each([
    ['none', {}, 'your key'],
    ['a wrong one', { PARLEY_API_KEY: `parley_${'x'.repeat(43)}` }, 'a valid key'],
  ])('exits with 5 if a key is required and the key is %s', async (_what, env, hint) => {
    const { code, check } = await runDoctor({ PARLEY_URL: locked.url, ...env });
    expect([code, check('Access')]).toMatchObject([5, { state: 'fail', said: 'Parley requires a valid key.' }]);
    expect(check('Access')?.next).toContain(`Set PARLEY_API_KEY to ${hint}. Your administrator can create one`);
  });

  it('finds a key that cannot be sent', async () => {
    const { code, check } = await runDoctor({ PARLEY_URL: locked.url, PARLEY_API_KEY: 'parley_ключ' });
    expect([code, check('Access')]).toMatchObject([5, { state: 'fail', said: expect.stringContaining('invalid') }]);
  });

  it('says that the server is unreachable, and stops there', async () => {
    const closedPort = await startSwitchableTcpProxy();
    const { code, checks } = await runDoctor({ PARLEY_URL: `http://127.0.0.1:${closedPort.port}` });
    expect(code).toBe(1);
    expect(checks.at(-1)).toMatchObject({
      name: 'Server',
      state: 'fail',
      next: expect.stringContaining('PARLEY_URL'),
    });
    closedPort.close();
  });

  it('says that Temporal does not respond', async () => {
    const closedPort = await startSwitchableTcpProxy();
    const parley = await startParley({
      startsWorker: false,
      address: `127.0.0.1:${closedPort.port}`,
      cutsOffServer: true,
    });
    const { code, check } = await runDoctor({ PARLEY_URL: parley.url });
    expect([code, check('Temporal')?.state, check('Workers')?.state]).toEqual([1, 'fail', 'warn']);
    expect(check('Temporal')?.said).toContain('Temporal');
    await parley.stop();
    closedPort.close();
  });

  /** Runs `run` against a server that is not a current Parley. */
  async function withServer<T>(listener: RequestListener, run: (url: string) => Promise<T>): Promise<T> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      return await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }

  it('tells a proxy’s page from Parley, and prints no control characters', async () => {
    const page: RequestListener = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Sign in</h1>');
    const { code, check } = await withServer(page, (url) => runDoctor({ PARLEY_URL: url }));
    expect(code).toBe(1);
    expect(check('Server')?.said).toMatch(/not from Parley: 200 .*text\/html/);
  });

  it('does not wait forever for a server that never responds', async () => {
    const { code, check } = await withServer(
      () => undefined,
      (url) => runDoctor({ PARLEY_URL: url }),
    );
    expect([code, check('Server')]).toMatchObject([1, { state: 'fail', said: 'No response in time.' }]);
  });

  it('works with a Parley that is too old to report a status', async () => {
    const replies: Record<string, [number, unknown]> = {
      '/v1/session': [200, { name: 'evil\u001b[2J', scopes: ['admin'] }],
    };
    const old: RequestListener = ({ url = '' }, response) => {
      const [code, body] = replies[url] ?? [404, { code: 'not_found', detail: 'There is nothing here.' }];
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const { code, check } = await withServer(old, (url) => runDoctor({ PARLEY_URL: url }));
    expect([code, check('Version')?.state]).toEqual([0, 'warn']);
    const { out } = await withServer(old, (url) => runPiped(['doctor'], { PARLEY_URL: url }));
    expect(out).toContain('evil␛[2J');
  });
});

describe('the checks of the doctor', () => {
  it.each([
    ['https://parley.example.com', 'ok'],
    ['http://127.0.0.1:3000', 'ok'],
    ['http://parley.example.com', 'warn'],
  ])('rates %s, with a key, as %s', (url, state) => {
    expect(checkAddress({ url, urlSource: 'PARLEY_URL', key: 'parley_x' }).state).toBe(state);
  });

  it('report another version, missing agents, and links that lead nowhere', () => {
    const issueStates = (more: Partial<typeof exampleServerStatus>, url: string = settings.url) =>
      checkServerStatus({ ...exampleServerStatus, ...more }, { ...settings, url }, exampleServerStatus.version)
        .filter(({ state }) => state !== 'ok')
        .map(({ name, state }) => `${name} ${state}`);
    expect(issueStates({})).toEqual([]);
    expect(issueStates({ version: '0.6.9' })).toEqual([]);
    expect(issueStates({ version: '0.7.0' })).toEqual(['Version warn']);
    expect(issueStates({ agents: 0, workers: null })).toEqual(['Workers warn', 'Agents fail']);
    expect(issueStates({ publicUrl: 'http://127.0.0.1:3000' }, 'https://parley.example.com')).toEqual(['Links warn']);
  });
});
