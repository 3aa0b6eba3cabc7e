import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readAgents } from '../src/agents/read-agents';
import { createParley } from '../src/client/parley';
import type { Timeline } from '../src/contract/entry';
import type { Script } from '../src/model/rehearsal';
import { demonstration } from '../src/model/rehearsal-script';
import { builtIn } from '../src/tools/registry';
import { type Parley, parley } from './helpers/parley';

const root = path.join(__dirname, '..');

/** The blocks of that language in a page, in order. */
function blocksOf(page: string, language: string): string[] {
  const text = readFileSync(path.join(root, page), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, name, block = '']) =>
    name === language ? [block] : [],
  );
}

const agent = blocksOf('docs/api.md', 'text').find((block) => block.includes('trigger:')) ?? '';
const hook = blocksOf('docs/api.md', 'sh').find((block) => block.includes('/v1/hooks/')) ?? '';

/** What `npm start` plays, without its pauses. */
const script: Script = async (...sent) => ({ ...(await demonstration(...sent)), chunkMs: 0 });

const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: string[]
) => (...given: unknown[]) => Promise<void>;

describe('the examples in the documentation', () => {
  let agents: string;
  let p: Parley;
  beforeAll(async () => {
    agents = mkdtempSync(path.join(tmpdir(), 'parley-docs-'));
    writeFileSync(path.join(agents, 'intake.md'), agent);
    copyFileSync(path.join(root, 'agents/assistant.md'), path.join(agents, 'assistant.md'));
    p = await parley({ script, env: { PARLEY_AGENTS: agents } });
  });
  afterAll(async () => {
    await p?.stop();
    rmSync(agents, { recursive: true, force: true });
  });

  it.each(['docs/api.md', 'README.md'])('run a conversation to its result, in %s', async (page) => {
    const [example = ''] = blocksOf(page, 'ts');
    const [line = '', source = ''] = /^import .* from '\.\/dist\/(.*)\.js';.*\n/.exec(example) ?? [];
    expect(existsSync(path.join(root, `${source}.ts`))).toBe(true);

    const code = example.slice(line.length).replace('http://127.0.0.1:3000', p.url);
    const printed: unknown[] = [];
    const run = new AsyncFunction('createParley', 'console', 'process', code);
    await run(createParley, { log: (what: unknown) => printed.push(what) }, { env: {} });
    expect(printed.at(-1)).toMatch(/^## Plan our team offsite\n\n\*\*Confirmed:\*\*/);
  });

  it('make an agent with a trigger', () => {
    expect(readAgents(agents, builtIn).get('intake')).toMatchObject({
      trigger: { message: '{{ reporter.name }} reports: {{ issue.title }}\n\n{{ issue.text }}\n' },
      questions: { assignees: ['maria'] },
    });
  });

  it('start that agent by an unsigned webhook', async () => {
    const [, route = ''] = /127\.0\.0\.1:3000(\S+)/.exec(hook) ?? [];
    const [, body = ''] = /-d '(.*)'/.exec(hook) ?? [];
    const started = await p.call<{ id: string }>('POST', route, body);
    expect(started.status).toBe(202);
    const { id } = started.body;
    await p.question(id);
    const timeline = await p.call<Timeline>('GET', `/v1/conversations/${id}/timeline`);
    expect(timeline.body.items[0]).toMatchObject({
      role: 'user',
      text: expect.stringContaining('Sam reports: The lift is stuck'),
    });
  });

  it('may be started twice under one id, whatever key is beside it, with the same body only', async () => {
    const send = (message: string, key: string) =>
      p.call('POST', '/v1/conversations', { id: `${p.agent}-id`, message }, { 'idempotency-key': key });
    const replies = [
      await send('Hello', 'one'),
      await send('Hello', 'two'),
      await send('Bye', 'one'),
      await send('Hello', 'no key'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([201, 200, 409, 400]);
  });

  it('make an agent whose webhooks are signed, with the line that is named', () => {
    const [line = ''] = /secret: [A-Z_]+/.exec(readFileSync(path.join(root, 'docs/api.md'), 'utf8')) ?? [];
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-docs-'));
    writeFileSync(path.join(folder, 'intake.md'), agent.replace('  message:', `  ${line}\n  message:`));
    expect(readAgents(folder, builtIn).get('intake')?.trigger?.secret).toBe('PARLEY_HOOK_INTAKE');
    rmSync(folder, { recursive: true });
  });
});
