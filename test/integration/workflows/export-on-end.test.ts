import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConversationExport } from '#contract/responses';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';

describe('a conversation that ends', () => {
  let p: TestParley;
  let folder: string;
  const scout = `scout-${Math.random().toString(36).slice(2)}`;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-exports-'));
    p = await startParley({
      env: {
        PARLEY_EXPORTS: `file://${folder}`,
        PARLEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      },
      frontMatter: `subagents: [${scout}]`,
      agents: { [scout]: '' },
      script: (request) => {
        const first = JSON.stringify(request.body.messages[0]);
        if (first.includes('Look around')) return replyWithText('Nothing there.');
        if (first.includes('break')) return { error: { status: 400, message: 'No.' } };
        if (lastToolResults(request).length > 0) return replyWithText('The end.');
        if (!first.includes('delegate')) return replyWithQuestion('Which?');
        return replyWithToolCalls({ name: 'delegate', input: { agent: scout, task: 'Look around' } });
      },
    });
  });
  afterAll(async () => {
    await p.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Once it exists and meets the condition. */
  async function written(
    id: string,
    isWanted: (document: ConversationExport) => boolean = () => true,
  ): Promise<ConversationExport> {
    const { createdAt } = await p.getConversation(id);
    const file = path.join(folder, createdAt.slice(0, 7), `${id}.json`);
    for (;;) {
      const document = existsSync(file) ? ConversationExport.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
      if (document && isWanted(document)) return document;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  async function expectSame(id: string, document: ConversationExport): Promise<void> {
    const { body } = await p.call<ConversationExport>('GET', `/v1/conversations/${id}/export`);
    expect({ ...document, exportedAt: '' }).toEqual({ ...body, exportedAt: '' });
  }

  it('is exported as the API exports it, and again when it ends again', async () => {
    const id = await p.startConversation('Hello');
    await p.waitForQuestion(id);
    await p.answer(id, { answer: 'A' });
    await p.waitForStatus(id, 'completed');
    await expectSame(id, await written(id));

    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'One more thing' });
    await p.waitForQuestion(id);
    await p.answer(id, { answer: 'B' });
    await p.waitForStatus(id, 'completed');
    await expectSame(id, await written(id, ({ questions }) => questions.length === 2));
  });

  it('is exported however it ends, with its sub-agents', async () => {
    const [cancelled, failed, delegated] = await Promise.all(
      ['Hello', 'break', 'delegate'].map((say) => p.startConversation(say)),
    );
    await p.waitForQuestion(cancelled ?? '');
    await p.call('POST', `/v1/conversations/${cancelled}/cancel`, { reason: 'enough' });
    expect((await written(cancelled ?? '')).conversation).toMatchObject({ status: 'cancelled' });
    expect((await written(failed ?? '')).conversation).toMatchObject({ status: 'failed' });
    const { timeline } = await written(delegated ?? '');
    const sub = /Started sub-agent [^"]* in (c-[\w-]+)/.exec(JSON.stringify(timeline))?.[1] ?? '';
    const document = await written(sub);
    expect(document.conversation).toMatchObject({
      status: 'completed',
      result: 'Nothing there.',
      agent: scout,
    });
    await expectSame(sub, document);
  });
});
