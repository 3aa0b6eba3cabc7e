import { createTextStyle } from '#cli/render/colors';
import { renderMarkdownLines } from '#cli/render/markdown';
import type { ScriptedReply } from '#models/demo/reply';
import { runOnScreen, type ScreenOptions, type TerminalScreen } from '#test/support/cli/terminal-screen';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import {
  createLatch,
  lastToolResults,
  replyWithQuestion,
  replyWithText,
  replyWithToolCalls,
} from '#test/support/scripted-model';
import { readFirstMessage } from '#test/support/web/web-fixture';
import { builtInTools } from '#tools/registry';

const paragraphs = Array.from(
  { length: 12 },
  (_, index) => `Paragraph ${index + 1} has a few words to say, and ends in ${index + 1}.`,
);
const LONG = `# The report\n\n${paragraphs.join('\n\n')}\n\n- first point\n- second point\n\nThat is all.`;
const todos = (...statuses: string[]) => ({
  name: 'write_todos',
  input: { todos: statuses.map((status, index) => ({ content: `Step ${index + 1}`, status })) },
});

const WIDE = 'It was the best of times, it was the worst of times, and it was one line of a screen.';

let parley: TestParley;
let latch = createLatch();
const SCENES: Record<string, (turn: number) => ScriptedReply> = {
  Report: () => ({ text: LONG, chunkMs: 15, hold: latch.hold, holdAfter: 12 }),
  Slow: () => ({ text: 'Once upon a time.\n\nThere was a word', hold: latch.hold, holdAfter: 5 }),
  Wide: () => ({ text: WIDE, hold: latch.hold, holdAfter: 6 }),
  Work: (turn) =>
    [
      { text: 'I **begin**.', calls: [todos('in_progress', 'pending')] },
      replyWithToolCalls(
        { name: 'write_line', input: { line: 'one' } },
        { name: 'write_line', input: { line: 'two', fail: true } },
      ),
      replyWithToolCalls(todos('completed', 'in_progress')),
      replyWithText('Done with `it`.'),
    ][turn] ?? replyWithText('more'),
  Ask: (turn) =>
    turn === 0 ? replyWithQuestion('Which colour?', 'Red', 'Blue') : replyWithText('It will be painted.'),
  Hostile: (turn) =>
    turn === 0
      ? replyWithToolCalls({ name: 'write_line', input: { line: 'a\u001b]0;owned\u0007b' } })
      : replyWithText('Text \u001b[31mred\u001b[0m \u009b2J &#27;[1m \u202eback'),
};

beforeAll(async () => {
  parley = await startParley({
    tools: [...builtInTools, createRecordingTool().tool],
    script: (request) => {
      const turn = request.body.messages.filter(({ role }) => role === 'assistant').length;
      const scene = SCENES[readFirstMessage(request)];
      return scene ? scene(turn) : replyWithText(`Heard ${lastToolResults(request).length}`);
    },
  });
});
afterAll(() => parley.stop());

let screen: TerminalScreen;
afterEach(() => screen.close());
const show = (args: string[], { env, ...size }: ScreenOptions = {}) => {
  screen = runOnScreen(args, { env: { PARLEY_URL: parley.url, ...env }, ...size });
  return screen;
};
const start = (message: string, more?: ScreenOptions) => show(['start', parley.agent, message], more);
const conversationIdOn = (text: string) => /c-[0-9a-f]{32}/.exec(text.replaceAll('\n', ''))?.[0] ?? '';
/** Postpones the question, once keys count. */
async function postponeQuestion(): Promise<void> {
  await screen.waitFor('Esc later');
  screen.press('Escape');
  await screen.waitFor('Enter to answer');
}

describe('a conversation followed in a terminal', () => {
  it.each([
    [80, 24],
    [40, 12],
  ])('is printed as it is written, once, on %i columns', async (columns, rows) => {
    latch = createLatch();
    start('Report', { columns, rows });
    await screen.waitFor('Writing');
    latch.release();
    expect(await screen.waitForExit()).toBe(0);
    const all = await screen.textWithScrollback();
    const text = all.replace(/\s+/g, ' ');
    for (const paragraph of [...paragraphs, 'The report', '• first point', '• second point', 'That is all.'])
      expect(text.split(paragraph)).toHaveLength(2);
    expect(all).toContain(renderMarkdownLines(LONG, columns - 1, createTextStyle(false)).join('\n'));
    expect(all).not.toMatch(/Writing|Thinking|⠋/);
    expect(text).toMatch(/✓ Completed in \d+ s · [\d,]+ tokens · \$[\d.]+$/);
    expect(Math.max(...all.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
  });

  it('shows one line for each tool, and what changed in the plan', async () => {
    start('Work');
    expect(await screen.waitForExit()).toBe(0);
    const [, story = ''] =
      /Resume with[^\n]*\n\n([\s\S]*)\n\n✓ Completed/.exec(await screen.textWithScrollback()) ?? [];
    expect(story.split('\n')).toEqual([
      'I begin.',
      '',
      'Plan',
      '  ▸ Step 1',
      '  ○ Step 2',
      '',
      '⏺ write_line one → wrote one',
      expect.stringMatching(/^⏺ write_line .* → failed: .*the pen broke at two/),
      '',
      '  ✓ Step 1',
      '  ▸ Step 2',
      '',
      'Done with it.',
    ]);
  });

  it('has colors, unless they are disabled', async () => {
    start('Work');
    await screen.waitForExit();
    expect(await screen.textWithColors()).toContain('\u001b[35m');
    screen.close();
    start('Work', { env: { NO_COLOR: '1' } });
    await screen.waitForExit();
    expect(await screen.textWithColors()).not.toContain('\u001b[');
    expect(await screen.textWithScrollback()).toContain('Done with `it`.');
  });

  it('keeps the text being written at the end of the screen, with the activity below it', async () => {
    latch = createLatch();
    start('Slow', { rows: 14 });
    const shown = await screen.waitFor(/There was a\S*[\s\S]*Writing · \d+ s/);
    expect(shown).toMatch(/Once upon a time\.\n\nThere was a.*\n\n. Writing · \d+ s$/);
    latch.release();
    expect(await screen.waitForExit()).toBe(0);
    expect((await screen.textWithScrollback()).split('Once upon a time.')).toHaveLength(2);
  });

  it('leaves no artifacts when the window is resized', async () => {
    latch = createLatch();
    start('Wide', { columns: 100 });
    await screen.waitFor(/It was the best of times, it was the worst of/);
    // Wrapped between words: redrawn, not only reflowed by the window.
    for (const [columns, wrapped] of [
      [30, /best of times, it$/m],
      [90, /best of times, it was the worst of/],
      [44, /best of times, it was the worst$/m],
    ] as const) {
      screen.resize(columns, 24);
      await screen.waitFor(wrapped);
    }
    latch.release();
    expect(await screen.waitForExit()).toBe(0);
    const text = (await screen.textWithScrollback()).replace(/\s+/g, ' ');
    expect(text.split('It was the best')).toHaveLength(2);
    expect(text).toContain(WIDE);
  });

  it('continues when the client leaves, which shows how to return', async () => {
    latch = createLatch();
    start('Slow');
    await screen.waitFor('Writing');
    screen.press('x', 'C-c');
    expect(await screen.waitForExit()).toBe(130);
    const id = conversationIdOn(await screen.textWithScrollback());
    expect(await screen.visibleText()).toContain(`The conversation continues.\nResume with: parley watch ${id}`);
    expect(await screen.visibleText()).not.toContain('Writing');
    latch.release();
    await parley.waitForStatus(id, 'completed');
  });

  it('shows what others answered, and continues', async () => {
    start('Ask');
    await postponeQuestion();
    const id = conversationIdOn(await screen.textWithScrollback());
    expect(await screen.visibleText()).toMatch(/\? Waiting for an answer · Enter to answer · Ctrl-C to quit/);
    await parley.answer(id, { answer: 'Blue' });
    expect(await screen.waitForExit()).toBe(0);
    expect(await screen.textWithScrollback()).toMatch(
      /\? Which colour\?\n {2}Answered over HTTP: Blue\n\nIt will be painted\./,
    );
  });

  it('exits with 3 if the client leaves while it waits', async () => {
    start('Ask');
    await postponeQuestion();
    screen.press('C-c');
    expect(await screen.waitForExit()).toBe(3);
    const all = await screen.textWithScrollback();
    expect(all).toContain(`parley answer ${conversationIdOn(all)}`);
    expect(all).toContain(`parley watch ${conversationIdOn(all)}`);
  });

  it('waits for others with --no-input', async () => {
    show(['start', parley.agent, 'Ask', '--no-input', '--wait']);
    await screen.waitFor(/Waiting for someone else to answer · Ctrl-C to quit/);
    expect(await screen.visibleText()).toMatch(/\? Which colour\?\n {2}Red · Blue · Other/);
    await parley.answer(conversationIdOn(await screen.textWithScrollback()), { answer: 'Red' });
    expect(await screen.waitForExit()).toBe(0);
  });

  it('restores the terminal on a signal', async () => {
    latch = createLatch();
    start('Slow');
    await screen.waitFor('Writing');
    const id = conversationIdOn(await screen.textWithScrollback());
    process.kill(screen.pid(), 'SIGTERM');
    expect(await screen.waitForExit()).toBe(143);
    expect(await screen.visibleText()).not.toContain('Writing');
    // The terminal echoes whole lines: it is no longer in raw mode.
    screen.type('abc');
    await screen.waitFor('abc');
    latch.release();
    await parley.waitForStatus(id, 'completed');
  });

  it('prints no control characters', async () => {
    start('Hostile');
    expect(await screen.waitForExit()).toBe(0);
    expect(await screen.textWithScrollback()).toContain('⏺ write_line a␛]0;owned␇b → wrote a␛]0;owned␇b');
    expect(await screen.textWithScrollback()).toContain('Text ␛[31mred␛[0m �2J');
  });
});
