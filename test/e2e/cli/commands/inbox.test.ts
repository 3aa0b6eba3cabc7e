import { randomBytes } from 'node:crypto';
import type { ModelRequest } from '#models/demo/reply';
import { runPiped } from '#test/support/cli/run-cli';
import { runOnScreen, type ScreenOptions, type TerminalScreen } from '#test/support/cli/terminal-screen';
import { eventually } from '#test/support/eventually';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { replyWithQuestion } from '#test/support/scripted-model';

/** One for each test, so that they do not see each other's questions. */
const AGENTS = Array.from({ length: 9 }, () => `t-${randomBytes(5).toString('hex')}`);

let parley: TestParley;
let agent: string;
let screen: TerminalScreen | undefined;
beforeAll(async () => {
  parley = await startParley({
    ownWorker: true,
    script: askFirstMessage,
    agents: Object.fromEntries(AGENTS.map((name) => [name, ''])),
  });
});
beforeEach(() => {
  agent = AGENTS.pop() ?? '';
});
afterEach(() => {
  screen?.close();
  screen = undefined;
});
afterAll(() => parley.stop());

/** Asks its first message as a question, with colors as options, and thanks for the answer. */
function askFirstMessage({ body: { messages } }: ModelRequest) {
  const [first] = messages;
  const text = JSON.stringify(first?.content);
  const message = /"text":"([^"]+)"/.exec(text)?.[1] ?? text.replaceAll('"', '');
  return messages.length === 1 ? replyWithQuestion(message, 'Red', 'Blue') : { text: 'Thank you.' };
}

async function askQuestion(text: string, more: object = {}): Promise<string> {
  const id = await parley.startConversation(text, { agent, ...more });
  await parley.waitForQuestion(id);
  return id;
}

const env = () => ({ PARLEY_URL: parley.url });
const openInbox = (options: ScreenOptions = {}) => {
  screen = runOnScreen(['inbox', '--agent', agent], { env: env(), ...options });
  return screen;
};

describe('parley inbox', () => {
  it('shows open questions, most urgent first, takes an answer and continues with the next', async () => {
    const later = await askQuestion('What colour is the door?');
    const soon = await askQuestion('What colour is the roof?', { question: { timeout: '10m' } });
    const shown = await openInbox().waitFor('2 open questions');
    expect(shown).toMatch(/❯ 1 What colour is the roof\?[\s\S]+2 What colour is the door\?/);
    expect(shown).toContain('due in 10 min');

    screen?.press('Enter');
    await screen?.waitFor('Esc later');
    screen?.press('Down', 'Enter');
    await parley.waitForStatus(soon, 'completed');
    const next = await screen?.waitFor(/What colour is the door\?[\s\S]+Esc later/);
    expect(next).toContain('✓ Answered');
    screen?.press('Enter');
    await parley.waitForStatus(later, 'completed');
    await screen?.waitFor('No open questions');

    const { outcome } = (await parley.call<{ outcome: unknown }>('GET', `/v1/conversations/${soon}/questions/latest`))
      .body;
    expect(outcome).toMatchObject({ answers: { q1: 'Blue' }, via: 'terminal' });
    screen?.press('Escape');
    expect(await screen?.waitForExit()).toBe(0);
  });

  it('is live: a new question appears, and one answered elsewhere leaves, with who answered', async () => {
    openInbox();
    await screen?.waitFor('No open questions');
    const id = await askQuestion('What colour is the gate?');
    await screen?.waitFor('❯ 1 What colour is the gate?');
    await parley.answer(id, { answer: 'Red' });
    await screen?.waitFor('Answered over HTTP: What colour is the gate?');
    expect(await screen?.visibleText()).toContain('No open questions');
  });

  it('closes the form if the question is answered elsewhere, sends nothing, and continues with the next', async () => {
    const first = await askQuestion('What colour is the roof?', { question: { timeout: '10m' } });
    await askQuestion('What colour is the door?');
    openInbox().press();
    await screen?.waitFor('2 open questions');
    screen?.press('Enter');
    await screen?.waitFor('Esc later');
    await parley.answer(first, { answer: 'Red' });
    await screen?.waitFor('Nothing was sent from here');
    expect(await screen?.waitFor(/What colour is the door\?[\s\S]+Esc later/)).toContain('Answered over HTTP');
  });

  it('keeps a question that is left for later, and filters by what is typed', async () => {
    await askQuestion('What colour is the roof?');
    await askQuestion('How long is the fence?');
    openInbox();
    await screen?.waitFor('2 open questions');
    screen?.type('fence');
    const screenText = await screen?.waitFor('Filter: fence');
    expect(screenText).not.toContain('roof');
    screen?.press('Enter');
    await screen?.waitFor('Esc later');
    screen?.press('Escape');
    await screen?.waitFor('2 open questions');
    screen?.press('Escape');
    await screen?.waitFor('type to filter');
    screen?.press('C-c');
    expect(await screen?.waitForExit()).toBe(3);
  });

  it('does not ask again if the answer is saved for a worker', async () => {
    await askQuestion('What colour is the roof?');
    await parley.stopWorker();
    openInbox();
    await screen?.waitFor('1 open question');
    screen?.press('Enter');
    await screen?.waitFor('Esc later');
    screen?.press('Enter');
    await screen?.waitFor('Saved. The agent will');
    await screen?.waitFor('No open questions');
    await parley.startWorker();
  });

  it('fits a small window, and a smaller one', async () => {
    await askQuestion('What colour is the roof of the house at the end of the road?');
    openInbox({ columns: 36, rows: 10 });
    await screen?.waitFor('1 open question');
    screen?.resize(28, 9);
    // The screen is redrawn a moment after the window has changed.
    await eventually(async () => {
      const shown = (await screen?.visibleText()) ?? '';
      expect(shown).toMatch(/❯ 1 What colour is the/);
      for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(28);
      expect(shown.match(/open question/g) ?? []).toHaveLength(1);
    });
  });

  it('says what is wrong with the key, and restores the terminal', async () => {
    screen = runOnScreen(['inbox'], { env: { PARLEY_URL: `${parley.url}/nowhere` } });
    expect(await screen.waitForExit()).not.toBe(0);
    expect(await screen.visibleText()).toContain('parley: ');
  });

  it('lists questions with tabs, or as one JSON document', async () => {
    const id = await askQuestion('What colour is the roof?');
    const list = await runPiped(['inbox', '--list', '--agent', agent], env());
    expect(list).toMatchObject({ code: 0, err: '' });
    const { expiresAt } = await parley.waitForQuestion(id);
    expect(list.out).toBe(`${id}\tquestion-1\t${agent}\t${expiresAt}\tWhat colour is the roof?\n`);
    const fields = await runPiped(['inbox', '--list', '--fields', '--agent', agent], env());
    expect(fields.out).toMatch(new RegExp(`^${id}\\tquestion-1\\tq1\\t[^\\t]+\\tWhat colour is the roof\\?\\n$`));
    const document = await runPiped(['inbox', '--json', '--conversation', id], env());
    expect(JSON.parse(document.out)).toMatchObject({ items: [{ conversationId: id }], isMore: false });
  });

  it('asks one by one on a pipe, and exits with 3 if some are left', async () => {
    const urgentId = await askQuestion('What colour is the roof?', { question: { timeout: '10m' } });
    const otherId = await askQuestion('What colour is the door?');
    const first = await runPiped(['inbox', '--agent', agent], env(), '2\n');
    expect(first.code).toBe(3);
    expect(await parley.waitForStatus(urgentId, 'completed')).toMatchObject({ result: 'Thank you.' });
    const second = await runPiped(['inbox', '--agent', agent], env(), 'blue\n');
    expect(second).toMatchObject({ code: 0, err: 'No open questions.\n' });
    await parley.waitForStatus(otherId, 'completed');
  });
});
