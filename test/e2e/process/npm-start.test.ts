import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Conversation } from '#contract/conversation';
import { findTemporalCli } from '#infra/temporal/toolchain';
import { type RunningProcess, startNodeProcess } from '#test/support/child-process';

/** `npm start` as a new user runs it: no key, and no configuration except a folder and a port of the test. */
describe('npm start', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-start-'));
  let parley: RunningProcess;
  let url = '';

  async function start(extraEnv: Record<string, string> = {}): Promise<void> {
    const env = { PARLEY_DATA: folder, PORT: '0', TEMPORAL_CLI: findTemporalCli(), ...extraEnv };
    parley = startNodeProcess('dist/src/main.js', env);
    url = (await parley.waitForOutput(/API +(http:\S+)/))[1] ?? '';
  }
  async function stop(signal: NodeJS.Signals): Promise<void> {
    parley.child.kill(signal);
    await parley.exited;
  }
  afterAll(async () => {
    await stop('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  async function call<T>(route: string, body?: object): Promise<T> {
    const init = body && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    };
    return (await (await fetch(`${url}${route}`, init)).json()) as T;
  }
  async function waitForStatus(status: string, id = 'demo'): Promise<Conversation> {
    for (;;) {
      const conversation = await call<Conversation>(`/v1/conversations/${id}`);
      if (conversation.status === status) return conversation;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  it('deletes stored data of conversations that no longer exist from its own storage', async () => {
    const orphanFolder = path.join(folder, 'storage/default/conversations/gone');
    mkdirSync(orphanFolder, { recursive: true });
    utimesSync(orphanFolder, 1, 1);
    await start();
    while (existsSync(orphanFolder)) await new Promise((resolve) => setTimeout(resolve, 50));
    await stop('SIGTERM');
  });

  it('leaves configured storage alone, since others may use it', async () => {
    const sharedFolder = path.join(folder, 'storage-shared/conversations/of-others');
    const defaultFolder = path.join(folder, 'storage/default/conversations/gone');
    for (const oldFolder of [sharedFolder, defaultFolder]) {
      mkdirSync(oldFolder, { recursive: true });
      utimesSync(oldFolder, 1, 1);
    }
    await start({ PARLEY_STORAGE: `file://${folder}/storage-shared` });
    await call('/v1/conversations', { id: 'swept', message: 'Plan our team offsite' });
    await waitForStatus('waiting_for_input', 'swept');
    expect([existsSync(sharedFolder), existsSync(defaultFolder)]).toEqual([true, true]);
    await stop('SIGTERM');
  });

  it('prints every address, and that the model is a demo', async () => {
    await start();
    await parley.waitForOutput(/Ctrl-C/);
    expect(parley.output()).toMatch(/Temporal UI +http:\S+/);
    const [, app = ''] = await parley.waitForOutput(/Web app +(http:\S+)/);
    const page = await fetch(app);
    expect([app, page.status]).toEqual([`${url}/`, 200]);
    expect(await page.text()).toMatch(/<script type="module"[^>]* src="\/assets\//);
    expect(parley.output()).toContain('demo model');
    expect(parley.output()).toContain(folder);
  });

  it('keeps a parked question over a clean stop', async () => {
    await call('/v1/conversations', { id: 'demo', message: 'Plan our team offsite' });
    const { question } = await waitForStatus('waiting_for_input');
    expect(question?.fields).toHaveLength(2);
    await stop('SIGINT');
    expect(await parley.exited).toBe(0);
    await start();
    expect((await call<Conversation>('/v1/conversations/demo')).question).toEqual(question);
  });

  it('starts again after kill -9 with the question still open, and completes with the answers', async () => {
    await stop('SIGKILL');
    await start();
    const { question } = await waitForStatus('waiting_for_input');
    const answers = Object.fromEntries((question?.fields ?? []).map((field) => [field.key, field.default]));
    await call('/v1/conversations/demo/questions/latest/answer', { answers, comment: 'by the lake' });
    await waitForStatus('waiting_for_input');
    await call('/v1/conversations/demo/questions/latest/answer', { answer: 'Yes, proceed' });
    const { result } = await waitForStatus('completed');
    expect(result).toContain('by the lake');
    expect(result).toContain(String(answers.q1));
  });

  it('refuses to run twice on one data folder, and says what to do', async () => {
    const second = startNodeProcess('dist/src/main.js', {
      PARLEY_DATA: folder,
      PORT: '0',
      TEMPORAL_CLI: findTemporalCli(),
    });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain('PARLEY_DATA');
  });
});
