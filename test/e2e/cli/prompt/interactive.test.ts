import { createPromptFixture, type PromptFixture } from '#test/support/cli/prompt-fixture';
import type { TerminalScreen } from '#test/support/cli/terminal-screen';
import { createLatch, replyWithQuestion, replyWithToolCalls } from '#test/support/scripted-model';

let fixture: PromptFixture;
beforeAll(async () => {
  fixture = await createPromptFixture();
});
afterEach(() => fixture.closeScreens());
afterAll(() => fixture.parley.stop());

const database = {
  question: 'Which database?',
  header: 'Database',
  options: [
    { label: 'SQLite', description: 'One file.' },
    { label: 'PostgreSQL', description: 'A server.' },
    { label: '日本語データベース' },
  ],
};
const answersOf = async (id: string) => (await fixture.getQuestion(id)).outcome?.answers;

describe('a question prompt', () => {
  it('is answered with arrows and Enter, and shows what was sent', async () => {
    const id = await fixture.startAndWaitForQuestion(replyWithQuestion(database));
    const screen = await fixture.openAnswerPrompt(id);
    expect(await screen.visibleText()).toMatch(/asks[\s\S]*Which database\?[\s\S]*❯ 1\. SQLite\n {5}One file\./);
    screen.press('Down');
    await screen.waitFor('❯ 2. PostgreSQL');
    screen.press('Enter');
    await screen.waitFor('✓ Answered: Database PostgreSQL');
    expect(await screen.waitForExit()).toBe(0);
    expect(await screen.visibleText()).not.toContain('Enter send');
    expect((await fixture.getQuestion(id)).outcome).toMatchObject({
      answers: { q1: 'PostgreSQL' },
      via: 'terminal',
    });
  });

  it('filters by what is typed, wide characters included; Esc clears the filter', async () => {
    const id = await fixture.startAndWaitForQuestion(replyWithQuestion(database));
    const screen = await fixture.openAnswerPrompt(id);
    screen.type('s');
    await screen.waitFor(/Filter: s▏[\s\S]*PostgreSQL/);
    screen.type('qli');
    await screen.waitFor(/Filter: sqli▏\n❯ SQLite\n {4}One file\.\n {2}Other…\n\nDue[\s\S]*Esc clear/);
    expect((await screen.visibleText()).match(/Other…|Esc clear/g)).toHaveLength(2);
    screen.press('Escape');
    await screen.waitUntilGone('Filter');
    screen.type('データ');
    await screen.waitFor(/Filter: データ▏\n❯ 日本語データベース\n {2}Other…\n\nDue[\s\S]*Esc clear/);
    screen.press('Escape');
    await screen.waitUntilGone('Filter');
    expect(await screen.visibleText()).toContain('❯ 3. 日本語データベース');
    screen.press('1', 'Enter');
    await screen.waitFor('✓ Answered: Database SQLite');
  });

  it('offers what was typed as a custom answer if nothing matches', async () => {
    const id = await fixture.startAndWaitForQuestion(replyWithQuestion(database));
    const screen = await fixture.openAnswerPrompt(id);
    screen.type('mars');
    await screen.waitFor(/No matches\.\n❯ Other: mars/);
    screen.press('Enter');
    await screen.waitFor('Esc back');
    screen.type('DB');
    await screen.waitFor('Other: marsDB');
    screen.press('Enter');
    await screen.waitFor('✓ Answered: Database marsDB');
    expect(await answersOf(id)).toEqual({ q1: { other: 'marsDB' } });
  });

  it('takes several options', async () => {
    const id = await fixture.startAndWaitForQuestion(replyWithQuestion({ ...database, multiSelect: true }));
    const screen = await fixture.openAnswerPrompt(id);
    screen.press('Enter');
    await screen.waitFor('✗ Choose at least one.');
    screen.press('Space', 'Down', 'Down', 'Tab');
    await screen.waitFor('2 selected.');
    screen.press('Enter');
    await screen.waitFor('✓ Answered: Database SQLite, 日本語データベース');
  });

  it('requires a deliberate yes to an action, and shows its exact arguments', async () => {
    const input = { action: 'Delete it', arguments: { name: 'prod\u202e', list: ['a  b'] } };
    const id = await fixture.startAndWaitForQuestion(replyWithToolCalls({ name: 'confirm_action', input }));
    const screen = await fixture.openAnswerPrompt(id);
    expect(await screen.visibleText()).toMatch(/needs your approval[\s\S]*"prod\\u202e"[\s\S]*"a {2}b"/);
    screen.press('y');
    await screen.waitFor('❯ Yes, proceed');
    screen.press('n');
    await screen.waitFor('❯ No, cancel');
    screen.press('Enter');
    await screen.waitFor('✓ Answered: Confirm No, cancel');
  });

  it('asks several fields step by step, and shows a review before it sends', async () => {
    const id = await fixture.startAndWaitForQuestion(
      replyWithQuestion([
        database,
        { question: 'How many?', header: 'Count', schema: { type: 'integer', maximum: 9 } },
        { question: 'When?', header: 'Start', schema: { type: 'string', format: 'date-time' } },
      ]),
    );
    const screen = await fixture.openAnswerPrompt(id, { env: { TZ: 'Asia/Tokyo' } });
    screen.press('2', 'Enter');
    await screen.waitFor('▸ Count');
    screen.type('12');
    await screen.waitFor('Must be a whole number of at most 9.');
    screen.press('Enter');
    await screen.waitFor('✗ Must be a whole number');
    screen.press('C-w');
    screen.type('3');
    screen.press('BTab');
    await screen.waitFor('❯ 2. PostgreSQL');
    screen.press('Enter', 'Enter');
    await screen.waitFor('(Asia/Tokyo)');
    screen.type('2026-12-01 09:30');
    screen.press('Enter');
    await screen.waitFor('❯ Send');
    expect(await screen.visibleText()).toMatch(
      /Database {2}PostgreSQL\n {2}Count {5}3\n {2}Start {5}2026-12-01 09:30 \(Asia\/Tokyo\)/,
    );
    screen.press('C-t');
    await screen.waitFor('Comment for the agent');
    screen.type('As agreed');
    screen.press('Enter');
    await screen.waitFor(/Comment +As agreed/);
    screen.press('Enter');
    await screen.waitFor('✓ Answered: Database PostgreSQL · Count 3');
    expect((await fixture.getQuestion(id)).outcome).toMatchObject({
      answers: { q1: 'PostgreSQL', q2: 3, q3: '2026-12-01T00:30:00Z' },
      comment: 'As agreed',
    });
  });

  it('keeps the lines of a paste, and edits across wide characters', async () => {
    const id = await fixture.startAndWaitForQuestion(replyWithQuestion('What is new?'));
    const screen = await fixture.openAnswerPrompt(id);
    screen.paste('first line\nsecond 日本語\n');
    await screen.waitFor('second 日本語');
    screen.press('BSpace', 'Left', 'BSpace', 'C-a');
    screen.type('the ');
    await screen.waitFor('the second 日語');
    screen.press('M-Enter', 'C-e');
    screen.type('!');
    await screen.waitFor('second 日語!');
    screen.press('Enter');
    await screen.waitFor('✓ Answered');
    expect(await answersOf(id)).toEqual({ q1: 'first line\nthe \nsecond 日語!' });
  });

  it('is skipped with a reason', async () => {
    const id = await fixture.startAndWaitForQuestion(replyWithQuestion(database));
    const screen = await fixture.openAnswerPrompt(id);
    screen.press('C-x');
    await screen.waitFor('Skip this question.');
    screen.type('Not mine to say');
    screen.press('Enter');
    await screen.waitFor('✓ Question skipped: Not mine to say');
    expect(await fixture.getQuestion(id)).toMatchObject({
      status: 'declined',
      outcome: { comment: 'Not mine to say' },
    });
  });

  it.each([
    ['Escape', 'Still open.'],
    ['C-c', 'Still open.'],
  ])('stays open after %s, and shows how to return', async (key, message) => {
    const id = await fixture.startAndWaitForQuestion(replyWithQuestion(database));
    const screen = await fixture.openAnswerPrompt(id);
    screen.press(key);
    await screen.waitFor(message);
    expect((await screen.visibleText()).replace(/\s+/g, ' ')).toContain(`parley answer ${id}`);
    expect(await screen.waitForExit()).toBe(3);
    expect((await fixture.getQuestion(id)).status).toBe('pending');
  });

  it('fits a narrow window, and one that becomes narrow', async () => {
    const id = await fixture.startAndWaitForQuestion(replyWithQuestion(database), { question: { timeout: '30m' } });
    const screen = await fixture.openAnswerPrompt(id, { columns: 30, rows: 12 });
    const lines = (await screen.visibleText()).split('\n');
    expect(lines.at(-1)).toBe('Enter send · Esc later');
    screen.resize(90, 24);
    await screen.waitFor('Ctrl-X skip');
    screen.resize(40, 24);
    await screen.waitFor('Enter send · Esc later · ? keys');
    await screen.waitUntilGone('Ctrl-X');
    screen.press('Down');
    await screen.waitFor('❯ 2. PostgreSQL');
    expect((await screen.visibleText()).match(/Which database/g)).toHaveLength(1);
    expect((await screen.visibleText()).match(/Due in/g)).toHaveLength(1);
    screen.press('Enter');
    await screen.waitFor('✓ Answered: Database PostgreSQL');
    expect((await screen.visibleText()).match(/Which database/g)).toHaveLength(1);
  });

  it('scrolls through many options', async () => {
    const labels = Array.from({ length: 12 }, (_, index) => `Option ${index + 1}`);
    const id = await fixture.startAndWaitForQuestion(
      replyWithQuestion({ question: 'Which one?', schema: { type: 'string', enum: labels } }),
    );
    const screen = await fixture.openAnswerPrompt(id, { rows: 12 });
    expect(await screen.visibleText()).toMatch(/↓ \d+ more/);
    screen.press('End');
    await screen.waitFor('❯    Option 12');
    expect(await screen.visibleText()).toMatch(/↑ \d+ more/);
    screen.press('Up', 'Enter');
    expect(await screen.waitForExit()).toBe(0);
    expect(await answersOf(id)).toEqual({ q1: 'Option 11' });
  });

  it('can be left by keys typed before it appeared', async () => {
    const screen = await askWhileTyping('Which flavour?');
    screen.press('x', 'C-c');
    expect(await screen.waitForExit()).toBe(3);
    expect((await fixture.getQuestion(await conversationIdOn(screen))).status).toBe('pending');
  });

  /** Starts a conversation on a screen that asks a question while keys are being pressed. */
  async function askWhileTyping(question: string) {
    const { hold, release } = createLatch();
    const screen = fixture.openStartPrompt({ ...replyWithQuestion(question), hold });
    await screen.waitFor('Resume with');
    release();
    const typing = setInterval(() => screen.press('x', 'x'), 50);
    await screen.waitFor(question).finally(() => clearInterval(typing));
    return screen;
  }

  const conversationIdOn = async (screen: TerminalScreen) =>
    /c-[0-9a-f]{32}/.exec(await screen.textWithScrollback())?.[0] ?? '';

  it('shows all keys', async () => {
    const screen = await fixture.openAnswerPrompt(await fixture.startAndWaitForQuestion(replyWithQuestion(database)));
    screen.press('?');
    await screen.waitFor('Skip the question');
    screen.press('Enter');
    await screen.waitFor('❯ 1. SQLite');
  });
});
