import { createPromptFixture, type PromptFixture } from '#test/support/cli/prompt-fixture';
import type { TerminalScreen } from '#test/support/cli/terminal-screen';
import { createLatch, replyWithQuestion, replyWithToolCalls } from '#test/support/scripted-model';

let stage: PromptFixture;
beforeAll(async () => {
  stage = await createPromptFixture();
});
afterEach(() => stage.closeScreens());
afterAll(() => stage.parley.stop());

const database = {
  question: 'Which database?',
  header: 'Database',
  options: [
    { label: 'SQLite', description: 'One file.' },
    { label: 'PostgreSQL', description: 'A server.' },
    { label: '日本語データベース' },
  ],
};
const answersOf = async (id: string) => (await stage.outcome(id)).outcome?.answers;

describe('a question on a screen', () => {
  it('is answered by arrows and Enter, and says what was sent', async () => {
    const id = await stage.asks(replyWithQuestion(database));
    const screen = await stage.answering(id);
    expect(await screen.shown()).toMatch(/asks[\s\S]*Which database\?[\s\S]*❯ 1\. SQLite\n {5}One file\./);
    screen.press('Down');
    await screen.until('❯ 2. PostgreSQL');
    screen.press('Enter');
    await screen.until('✓ Answered: Database PostgreSQL');
    expect(await screen.ended()).toBe(0);
    expect(await screen.shown()).not.toContain('Enter send');
    expect((await stage.outcome(id)).outcome).toMatchObject({
      answers: { q1: 'PostgreSQL' },
      via: 'terminal',
    });
  });

  it('is filtered by what is typed, wide characters and all, and cleared by Esc', async () => {
    const id = await stage.asks(replyWithQuestion(database));
    const screen = await stage.answering(id);
    screen.type('s');
    await screen.until(/Filter: s▏[\s\S]*PostgreSQL/);
    screen.type('qli');
    await screen.until(/Filter: sqli▏\n❯ SQLite\n {4}One file\.\n {2}Other…\n\nDue[\s\S]*Esc clear/);
    expect((await screen.shown()).match(/Other…|Esc clear/g)).toHaveLength(2);
    screen.press('Escape');
    await screen.untilGone('Filter');
    screen.type('データ');
    await screen.until(/Filter: データ▏\n❯ 日本語データベース\n {2}Other…\n\nDue[\s\S]*Esc clear/);
    screen.press('Escape');
    await screen.untilGone('Filter');
    expect(await screen.shown()).toContain('❯ 3. 日本語データベース');
    screen.press('1', 'Enter');
    await screen.until('✓ Answered: Database SQLite');
  });

  it('takes what was sought and not found as an answer of one’s own', async () => {
    const id = await stage.asks(replyWithQuestion(database));
    const screen = await stage.answering(id);
    screen.type('mars');
    await screen.until(/Nothing matches\.\n❯ Other: mars/);
    screen.press('Enter');
    await screen.until('Esc back');
    screen.type('DB');
    await screen.until('Other: marsDB');
    screen.press('Enter');
    await screen.until('✓ Answered: Database marsDB');
    expect(await answersOf(id)).toEqual({ q1: { other: 'marsDB' } });
  });

  it('takes several choices', async () => {
    const id = await stage.asks(replyWithQuestion({ ...database, multiSelect: true }));
    const screen = await stage.answering(id);
    screen.press('Enter');
    await screen.until('✗ Choose at least one.');
    screen.press('Space', 'Down', 'Down', 'Tab');
    await screen.until('2 chosen.');
    screen.press('Enter');
    await screen.until('✓ Answered: Database SQLite, 日本語データベース');
  });

  it('wants a deliberate yes to an action, and shows it exactly', async () => {
    const input = { action: 'Delete it', arguments: { name: 'prod\u202e', list: ['a  b'] } };
    const id = await stage.asks(replyWithToolCalls({ name: 'confirm_action', input }));
    const screen = await stage.answering(id);
    expect(await screen.shown()).toMatch(/asks you to confirm[\s\S]*Careful[\s\S]*"prod\\u202e"[\s\S]*"a {2}b"/);
    screen.press('y');
    await screen.until('❯ Yes, proceed');
    screen.press('n');
    await screen.until('❯ No, cancel');
    screen.press('Enter');
    await screen.until('✓ Answered: Confirm No, cancel');
  });

  it('asks several fields as steps, and shows all before it sends', async () => {
    const id = await stage.asks(
      replyWithQuestion([
        database,
        { question: 'How many?', header: 'Count', schema: { type: 'integer', maximum: 9 } },
        { question: 'When?', header: 'Start', schema: { type: 'string', format: 'date-time' } },
      ]),
    );
    const screen = await stage.answering(id, { env: { TZ: 'Asia/Tokyo' } });
    screen.press('2', 'Enter');
    await screen.until('▸ Count');
    screen.type('12');
    await screen.until('Must be a whole number of at most 9.');
    screen.press('Enter');
    await screen.until('✗ Must be a whole number');
    screen.press('C-w');
    screen.type('3');
    screen.press('BTab');
    await screen.until('❯ 2. PostgreSQL');
    screen.press('Enter', 'Enter');
    await screen.until('(Asia/Tokyo)');
    screen.type('2026-12-01 09:30');
    screen.press('Enter');
    await screen.until('❯ Send');
    expect(await screen.shown()).toMatch(
      /Database {2}PostgreSQL\n {2}Count {5}3\n {2}Start {5}2026-12-01 09:30 \(Asia\/Tokyo\)/,
    );
    screen.press('C-t');
    await screen.until('A comment');
    screen.type('As agreed');
    screen.press('Enter');
    await screen.until(/Comment +As agreed/);
    screen.press('Enter');
    await screen.until('✓ Answered: Database PostgreSQL · Count 3');
    expect((await stage.outcome(id)).outcome).toMatchObject({
      answers: { q1: 'PostgreSQL', q2: 3, q3: '2026-12-01T00:30:00Z' },
      comment: 'As agreed',
    });
  });

  it('keeps the lines of a paste, and edits across wide characters', async () => {
    const id = await stage.asks(replyWithQuestion('What is new?'));
    const screen = await stage.answering(id);
    screen.paste('first line\nsecond 日本語\n');
    await screen.until('second 日本語');
    screen.press('BSpace', 'Left', 'BSpace', 'C-a');
    screen.type('the ');
    await screen.until('the second 日語');
    screen.press('M-Enter', 'C-e');
    screen.type('!');
    await screen.until('second 日語!');
    screen.press('Enter');
    await screen.until('✓ Answered');
    expect(await answersOf(id)).toEqual({ q1: 'first line\nthe \nsecond 日語!' });
  });

  it('is declined with a reason', async () => {
    const id = await stage.asks(replyWithQuestion(database));
    const screen = await stage.answering(id);
    screen.press('C-x');
    await screen.until('Decline. Why?');
    screen.type('Not mine to say');
    screen.press('Enter');
    await screen.until('✓ Declined: Not mine to say');
    expect(await stage.outcome(id)).toMatchObject({
      status: 'declined',
      outcome: { comment: 'Not mine to say' },
    });
  });

  it.each([
    ['Escape', 'It waits for an answer.'],
    ['C-c', 'It waits for an answer.'],
  ])('waits on after %s, and says how to come back', async (key, said) => {
    const id = await stage.asks(replyWithQuestion(database));
    const screen = await stage.answering(id);
    screen.press(key);
    await screen.until(said);
    expect((await screen.shown()).replace(/\s+/g, ' ')).toContain(`parley answer ${id}`);
    expect(await screen.ended()).toBe(3);
    expect((await stage.outcome(id)).status).toBe('pending');
  });

  it('fits a narrow window, and one that becomes narrow', async () => {
    const id = await stage.asks(replyWithQuestion(database), { question: { timeout: '30m' } });
    const screen = await stage.answering(id, { columns: 30, rows: 12 });
    const lines = (await screen.shown()).split('\n');
    expect(lines.at(-1)).toBe('Enter send · Esc later');
    screen.resize(90, 24);
    await screen.until('Ctrl-X decline');
    screen.resize(40, 24);
    await screen.until('Enter send · Esc later · ? keys');
    await screen.untilGone('Ctrl-X');
    screen.press('Down');
    await screen.until('❯ 2. PostgreSQL');
    expect((await screen.shown()).match(/Which database/g)).toHaveLength(1);
    expect((await screen.shown()).match(/Due in/g)).toHaveLength(1);
    screen.press('Enter');
    await screen.until('✓ Answered: Database PostgreSQL');
    expect((await screen.shown()).match(/Which database/g)).toHaveLength(1);
  });

  it('pages through many options', async () => {
    const labels = Array.from({ length: 12 }, (_, index) => `Option ${index + 1}`);
    const id = await stage.asks(
      replyWithQuestion({ question: 'Which one?', schema: { type: 'string', enum: labels } }),
    );
    const screen = await stage.answering(id, { rows: 12 });
    expect(await screen.shown()).toMatch(/↓ \d+ more/);
    screen.press('End');
    await screen.until('❯    Option 12');
    expect(await screen.shown()).toMatch(/↑ \d+ more/);
    screen.press('Up', 'Enter');
    expect(await screen.ended()).toBe(0);
    expect(await answersOf(id)).toEqual({ q1: 'Option 11' });
  });

  it('lets somebody leave who was typing on as it came up', async () => {
    const screen = await typingOnInto('Which flavour?');
    screen.press('x', 'C-c');
    expect(await screen.ended()).toBe(3);
    expect((await stage.outcome(await idOn(screen))).status).toBe('pending');
  });

  /** A conversation on a screen that asks this while keys are being pressed. */
  async function typingOnInto(question: string) {
    const { hold, release } = createLatch();
    const screen = stage.starting({ ...replyWithQuestion(question), hold });
    await screen.until('Come back with');
    release();
    const typing = setInterval(() => screen.press('x', 'x'), 50);
    await screen.until(question).finally(() => clearInterval(typing));
    return screen;
  }

  const idOn = async (screen: TerminalScreen) => /c-[0-9a-f]{32}/.exec(await screen.all())?.[0] ?? '';

  it('shows all keys', async () => {
    const screen = await stage.answering(await stage.asks(replyWithQuestion(database)));
    screen.press('?');
    await screen.until('Decline, with a reason if you like');
    screen.press('Enter');
    await screen.until('❯ 1. SQLite');
  });
});
