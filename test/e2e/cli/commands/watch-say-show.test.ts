import { runPiped } from '#test/support/cli/run-cli';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

let parley: TestParley;
let env: Record<string, string>;
beforeAll(async () => {
  parley = await startParley({
    ownWorker: true,
    script: (request) => {
      const { content } = request.body.messages.at(-1) ?? {};
      const message = typeof content === 'string' ? content : JSON.stringify(content);
      if (lastToolResults(request).length > 0) return replyWithText('Painted.');
      return message.includes('Paint')
        ? { ...replyWithQuestion('Which colour?', 'Red', 'Blue'), text: 'Let me ask.' }
        : replyWithText('As you wish.');
    },
  });
  env = { PARLEY_URL: parley.url };
});
afterAll(() => parley.stop());

async function startCompleted(): Promise<string> {
  const id = await parley.startConversation('Paint the shed');
  await parley.waitForQuestion(id);
  await parley.answer(id, { answer: 'Red' });
  await parley.waitForStatus(id, 'completed');
  return id;
}

describe('parley watch', () => {
  it('shows which conversation it is and the last message', async () => {
    const id = await startCompleted();
    const { code, out } = await runPiped(['watch', id], env);
    expect([code, out]).toEqual([
      0,
      `Paint the shed\nCompleted · ${parley.agent} · ${id} · started just now\n\nPainted.\n`,
    ]);
  });

  it('shows the whole history with --from-start', async () => {
    const { out } = await runPiped(['watch', await startCompleted(), '--from-start'], env);
    expect(out.split('\n').slice(2)).toEqual([
      '',
      '› Paint the shed',
      '',
      'Let me ask.',
      '',
      '? Which colour?',
      '  Red · Blue · Other',
      '  Answered over HTTP: Red',
      '',
      'Painted.',
      '',
      'Completed',
      '',
    ]);
  });

  it('asks a question that is already open', async () => {
    const id = await parley.startConversation('Paint the door');
    await parley.waitForQuestion(id);
    const { code, out, err } = await runPiped(['watch', id, '--no-input'], env);
    expect([code, err]).toEqual([3, `Waiting for an answer. Answer it with: parley answer ${id}\n`]);
    expect(out).toContain('\n\nLet me ask.\n\n? Which colour?\n');
  });

  it('prints one JSON document', async () => {
    const id = await startCompleted();
    expect(JSON.parse((await runPiped(['watch', id, '--json'], env)).out)).toMatchObject({
      id,
      status: 'completed',
    });
    expect((await runPiped(['watch', 'no-such-thing', '--json'], env)).code).toBe(4);
  });
});

describe('parley say', () => {
  it('resumes a finished conversation and follows it', async () => {
    const id = await startCompleted();
    const { code, out } = await runPiped(['say', id, 'Thanks'], env);
    expect([code, out]).toEqual([0, '› Thanks\n\nAs you wish.\n']);
  });

  it('answers the open question if it takes text', async () => {
    const id = await parley.startConversation('Paint the gate');
    await parley.waitForQuestion(id);
    const { code, out } = await runPiped(['say', id, 'Green'], env);
    expect([code, out]).toEqual([0, expect.stringContaining('Green\n\nPainted.\n')]);
  });

  it('does not follow with --detach', async () => {
    const id = await startCompleted();
    expect(await runPiped(['say', id, '-', '--detach'], env, 'Thanks')).toEqual({
      code: 0,
      out: `${id}\n`,
      err: '',
    });
    expect((await parley.waitForStatus(id, 'completed')).result).toBe('As you wish.');
  });

  it('requires quotes around the message', async () => {
    const { code, err } = await runPiped(['say', 'some-id', 'two', 'words'], env);
    expect([code, err]).toEqual([2, 'parley: Put the message in quotes: parley say some-id "two words"\n']);
  });
});

describe('parley show', () => {
  it('shows the whole conversation, its usage and its links', async () => {
    const id = await startCompleted();
    const { code, out } = await runPiped(['show', id], env);
    expect(code).toBe(0);
    expect(out).toContain(
      '› Paint the shed\n\nLet me ask.\n\n? Which colour?\n  Red · Blue · Other\n  Answered over HTTP: Red\n\nPainted.',
    );
    expect(out).toMatch(/1 question · 2 model calls · [\d,]+ tokens · \$[\d.]+\nWeb: http:\S+\nTemporal: \S+\n$/);
  });

  it('prints the conversation or the timeline as JSON', async () => {
    const id = await startCompleted();
    expect(JSON.parse((await runPiped(['show', id, '--json'], env)).out)).toMatchObject({
      id,
      questionsAsked: 1,
    });
    const { items } = JSON.parse((await runPiped(['show', id, '--json', '--timeline'], env)).out);
    expect(items[0]).toMatchObject({ id: 1, kind: 'message', text: 'Paint the shed' });
  });

  it('shows question and plan without a worker, and says what needs one', async () => {
    const id = await parley.startConversation('Paint the fence');
    await parley.waitForQuestion(id);
    await parley.stopWorker();
    const { code, out, err } = await runPiped(['show', id], env);
    await parley.startWorker();
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(
      '\n\n? Which colour?\n  Red · Blue · Other\n\nEarlier messages are unavailable: no worker is running.',
    );
    expect(out).toContain('`npm run worker`');
    expect(out).toMatch(/1 question · .*\nWeb: http:\S+\nTemporal: \S+\n$/);
  });

  it('says that the conversation does not exist', async () => {
    const { code, out, err } = await runPiped(['show', 'no-such-thing'], env);
    expect([code, out]).toEqual([4, '']);
    expect(err).toContain('List your conversations with `parley list`.');
  });
});
