import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hasBrowser, openInBrowser } from '#cli/commands/open';
import { runPiped } from '#test/support/cli/run-cli';
import { runOnScreen, type TerminalScreen } from '#test/support/cli/terminal-screen';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

let parley: TestParley;
let env: Record<string, string>;
let id: string;
let screen: TerminalScreen | undefined;
beforeAll(async () => {
  parley = await startParley();
  env = { PARLEY_URL: parley.url };
  id = await parley.startConversation();
});
afterEach(() => {
  screen?.close();
  screen = undefined;
});
afterAll(() => parley.stop());

describe('parley open', () => {
  it('prints both links as JSON, and opens nothing', async () => {
    const { links } = await parley.getConversation(id);
    const { code, out } = await runPiped(['open', id], { ...env, DISPLAY: ':0' });
    expect([code, out]).toEqual([0, `web\t${links.web}\ntemporal\t${links.temporal}\n`]);
    const document = JSON.parse((await runPiped(['open', id, '--json'], env)).out);
    expect(document).toEqual({ id, web: links.web, temporal: links.temporal });
  });

  it('shows people the links, and says so if there is no browser', async () => {
    const { links } = await parley.getConversation(id);
    screen = runOnScreen(['open', id], { env, columns: 120 });
    expect(await screen.waitFor("Can't open a browser here")).toContain(links.web);
    expect(await screen.visibleText()).toContain(links.temporal);
    expect(await screen.waitForExit()).toBe(0);
  });

  it.each([
    ['the web app', [], 'web'],
    ['the Temporal UI', ['--temporal'], 'temporal'],
  ] as const)('opens %s in the browser', async (_what, args, link) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-open-'));
    const browser = path.join(folder, 'browser');
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${folder}/opened'\n`, { mode: 0o755 });
    screen = runOnScreen(['open', id, ...args], { env: { ...env, BROWSER: browser }, columns: 120 });
    await screen.waitFor('Opened in your browser.');
    const { links } = await parley.getConversation(id);
    expect(readFileSync(path.join(folder, 'opened'), 'utf8')).toBe(links[link]);
    rmSync(folder, { recursive: true });
  });

  it('says so if the browser does not start', async () => {
    screen = runOnScreen(['open', id], { env: { ...env, BROWSER: '/nonexistent' }, columns: 120 });
    await screen.waitFor("Can't open a browser here");
    expect(await screen.waitForExit()).toBe(0);
  });

  it('finds no page for a conversation that does not exist', async () => {
    expect(await runPiped(['open', 'no-such-thing'], env)).toMatchObject({ code: 4, out: '' });
  });
});

describe('the browser', () => {
  it('is available on Linux if there is a display, and always elsewhere', () => {
    expect(hasBrowser({}, 'linux')).toBe(false);
    expect(hasBrowser({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toBe(true);
    expect(hasBrowser({}, 'darwin')).toBe(true);
  });

  it.each(['file:///etc/passwd', 'javascript:alert(1)', '-a Calculator', ''])('does not open %j', async (address) => {
    expect(await openInBrowser(address)).toBe(false);
  });
});
