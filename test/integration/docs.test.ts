import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transformSync } from '@swc/core';
import { Webhook } from 'standardwebhooks';
import { parse } from 'yaml';
import { loadAgents } from '#agents/load-agents';
import { CHANNELS } from '#channels/registry';
import { SLACK_BOT_SCOPES } from '#channels/slack/sender';
import { createParley } from '#client/parley';
import { AgentFile, McpServerConfig, QuestionPolicy, WebhookTrigger } from '#contract/agent';
import { PeopleList } from '#contract/people';
import type { ConversationTimeline } from '#contract/timeline';
import { maxReplyTokens } from '#core/transcript/token-budget';
import type { HttpClient } from '#infra/http-client/client';
import type { ModelScript } from '#models/demo/reply';
import { demoScript } from '#models/demo/script';
import { knownTools } from '#test/support/agents/agents-folder';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { builtInTools } from '#tools/registry';
import type { Tool } from '#tools/tool';
import * as toolModule from '#tools/tool';

const root = path.join(__dirname, '../..');

/** The blocks of that language in a page, in order. */
function blocksOf(page: string, language: string): string[] {
  const text = readFileSync(path.join(root, page), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, name, block = '']) =>
    name === language ? [block] : [],
  );
}

const agent = blocksOf('docs/reference/http-api.md', 'text').find((block) => block.includes('trigger:')) ?? '';
const hook = blocksOf('docs/reference/http-api.md', 'sh').find((block) => block.includes('/v1/hooks/')) ?? '';

/** The demo model of `npm start`, without its pauses. */
const script: ModelScript = async (...sent) => ({ ...(await demoScript(...sent)), chunkMs: 0 });

const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: string[]
) => (...given: unknown[]) => Promise<void>;

describe('the examples in the documentation', () => {
  let agents: string;
  let p: TestParley;
  beforeAll(async () => {
    agents = mkdtempSync(path.join(tmpdir(), 'parley-docs-'));
    writeFileSync(path.join(agents, 'front-desk.md'), agent);
    copyFileSync(path.join(root, 'agents/assistant.md'), path.join(agents, 'assistant.md'));
    p = await startParley({ script, env: { PARLEY_AGENTS: agents } });
  });
  afterAll(async () => {
    await p?.stop();
    rmSync(agents, { recursive: true, force: true });
  });

  it.each(['docs/reference/http-api.md', 'README.md'])('run a conversation to its result, in %s', async (page) => {
    const [example = ''] = blocksOf(page, 'ts');
    const [line = '', source = ''] = /^import .* from '\.\/dist\/(.*)\.js';.*\n/.exec(example) ?? [];
    expect(existsSync(path.join(root, `${source}.ts`))).toBe(true);

    const code = example.slice(line.length).replace('http://127.0.0.1:3000', p.url);
    const printed: unknown[] = [];
    const run = new AsyncFunction('createParley', 'console', 'process', code);
    await run(createParley, { log: (what: unknown) => printed.push(what) }, { env: {} });
    expect(printed.at(-1)).toMatch(/^## Plan our team offsite\n\n\*\*Confirmed:\*\*/);
  });

  it('define an agent with a trigger', () => {
    expect(loadAgents(agents, builtInTools).get('front-desk')).toMatchObject({
      trigger: { message: '{{ reporter.name }} reports: {{ issue.title }}\n\n{{ issue.text }}\n' },
      questions: { assignees: ['maria'] },
    });
  });

  it('follow a conversation to its end', async () => {
    const [stream = ''] = blocksOf('docs/reference/http-api.md', 'sh').filter((block) => block.startsWith('curl -N'));
    const [, route = ''] = /127\.0\.0\.1:3000(\S+)/.exec(stream) ?? [];
    await p.call('POST', '/v1/conversations', { id: 'offsite', message: 'Plan our team offsite' });
    await p.call('POST', '/v1/conversations/offsite/cancel', {});
    await p.waitForStatus('offsite', 'cancelled');
    expect(await (await fetch(`${p.url}${route}`)).text()).toMatch(/event: snapshot[\s\S]*event: done/);
  });

  it('start that agent with an unsigned webhook', async () => {
    const [, route = ''] = /127\.0\.0\.1:3000(\S+)/.exec(hook) ?? [];
    const [, body = ''] = /-d '(.*)'/.exec(hook) ?? [];
    const started = await p.call<{ id: string }>('POST', route, body);
    expect(started.status).toBe(202);
    const { id } = started.body;
    await p.waitForQuestion(id);
    const timeline = await p.call<ConversationTimeline>('GET', `/v1/conversations/${id}/timeline`);
    expect(timeline.body.items[0]).toMatchObject({
      role: 'user',
      text: expect.stringContaining('Sam reports: The lift is stuck'),
    });
  });

  it('can be repeated under one id, with any key, but only with the same body', async () => {
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

  it('define an agent with signed webhooks, by the line shown', () => {
    const [line = ''] =
      /secret: [A-Z_]+/.exec(readFileSync(path.join(root, 'docs/reference/http-api.md'), 'utf8')) ?? [];
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-docs-'));
    writeFileSync(path.join(folder, 'front-desk.md'), agent.replace('  message:', `  ${line}\n  message:`));
    expect(loadAgents(folder, builtInTools).get('front-desk')?.trigger?.secret).toBe('PARLEY_HOOK_FRONT_DESK');
    rmSync(folder, { recursive: true });
  });
});

describe('shell examples', () => {
  const pages = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join('docs', file));

  it.each(['README.md', ...pages])('have no syntax error, in %s', (page) => {
    for (const block of blocksOf(page, 'sh')) {
      const { stderr, status } = spawnSync('bash', ['-n'], { input: block, encoding: 'utf8' });
      expect([block, stderr, status]).toEqual([block, '', 0]);
    }
  });
});

describe('docs/guides/agents.md', () => {
  const page = readFileSync(path.join(root, 'docs/guides/agents.md'), 'utf8');
  const examples = [...blocksOf('docs/guides/agents.md', 'yaml'), ...blocksOf('README.md', 'yaml')];
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-docs-'));
    cpSync(path.join(root, 'agents'), folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const taught = page.split(/^(?=## )/m).slice(1);
  const isProse = (section: string) => /^## (A prompt that works|All fields)\n/.test(section);

  it.each(taught.filter((section) => !isProse(section)).map((section) => [section.split('\n')[0], section]))(
    'has an example under %s',
    (_heading, section) => expect(section).toMatch(/^```yaml$/m),
  );

  it.each(examples.map((example) => [example.trim().split('\n').slice(0, 2).join(' '), example]))(
    'is right: %s',
    (_what, example) => {
      const file = example.startsWith('---') ? example : `---\nname: example\ndescription: d\n${example}---\nPrompt.`;
      writeFileSync(path.join(folder, 'example.md'), file);
      expect(loadAgents(folder, knownTools).size).toBe(5);
    },
  );

  it.each([
    ['an agent', Object.keys(AgentFile.shape)],
    ['its policy', Object.keys(QuestionPolicy.shape)],
    ['its trigger', Object.keys(WebhookTrigger.shape)],
    ['an MCP server', McpServerConfig.options.flatMap(({ shape }) => Object.keys(shape))],
  ])('lists every field of %s in its tables', (_what, fields) => {
    const tables = page.slice(page.indexOf('## All fields'));
    expect(fields.filter((field) => !tables.includes(`\`${field}\``))).toEqual([]);
  });

  it('has the actual defaults and limits', () => {
    const { model } = AgentFile.parse({ name: 'a', description: 'd' });
    expect(page).toContain(`| \`${model}\``);
    expect(page).toContain(`| ${maxReplyTokens({ model })} `);
    const { perTurn, perConversation, maxQuestions, maxOptions } = QuestionPolicy.parse({});
    for (const [field, value] of Object.entries({ perTurn, perConversation, maxQuestions, maxOptions }))
      expect(page).toMatch(new RegExp(`\\| \`${field}\` +\\| ${value} +\\|`));
  });
});

describe('the tool in docs/guides/tools.md', () => {
  const [source = '', registration = ''] = blocksOf('docs/guides/tools.md', 'ts');
  const [entry = ''] = blocksOf('docs/guides/tools.md', 'yaml');
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-docs-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function weather(): Tool {
    const { code } = transformSync(source, {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
    });
    const made: { weatherTool?: Tool } = {};
    const load = (from: string) => (from === './tool' ? toolModule : require(from));
    new Function('require', 'exports', code)(load, made);
    if (!made.weatherTool) throw new Error('it exports no tool');
    return made.weatherTool;
  }

  /** Responds to any call. */
  function use(input: unknown, url = '', status = 200) {
    const { execution: running } = weather();
    if (running.kind !== 'activity') throw new Error('it runs inside');
    const network: HttpClient = {
      async request(sent) {
        const refused = sent.mayCall(new URL(url || sent.url));
        if (refused !== null) throw new Error(refused);
        const body = Buffer.from(`Sunny at ${sent.url}`);
        return { status, url: sent.url, headers: {}, body, truncated: false };
      },
      close: async () => undefined,
    };
    const context = { conversationId: 'c', callId: '1', settings: {}, network, variables: {} };
    return running.execute(input, { ...context, signal: new AbortController().signal });
  }

  it('runs, and calls only its own host', async () => {
    await expect(use({ place: 'Oslo, Norway' })).resolves.toBe(
      'Sunny at https://api.weather.example/now?q=Oslo%2C%20Norway',
    );
    const refusal = 'Only api.weather.example may be called.';
    await expect(use({ place: 'Oslo' }, 'https://elsewhere.example/')).rejects.toThrow(refusal);
    await expect(use({ place: 'Oslo' }, 'https://api.weather.example:8443/')).rejects.toThrow(refusal);
    await expect(use({ place: 'Oslo' }, '', 503)).rejects.toThrow('The weather service said 503.');
  });

  it('is registered by the line and import shown', () => {
    const names = readFileSync(path.join(root, 'src/tools/registry.ts'), 'utf8');
    const [, listed = ''] = /builtInTools: Tool\[\] = \[([\s\S]*?)\];/.exec(names) ?? [];
    expect(registration).toContain("import { weatherTool } from './weather';\n");
    expect(registration).toContain(`export const builtInTools: Tool[] = [${listed}  weatherTool,\n];`);
  });

  it('can be used by an agent as its file shows', () => {
    writeFileSync(path.join(folder, 'a.md'), `---\nname: a\ndescription: d\n${entry}---\nPrompt.`);
    expect(loadAgents(folder, [...builtInTools, weather()]).get('a')?.tools).toHaveLength(2);
  });

  it('type-checks as a tool', () => {
    writeFileSync(path.join(folder, 'weather.ts'), source);
    const compilerOptions = {
      noEmit: true,
      rootDir: '/',
      // Compiled as if saved where the page says, without a file there that other tests would see.
      rootDirs: [folder, path.join(root, 'src/tools')],
      paths: { zod: [path.join(root, 'node_modules/zod')] },
      typeRoots: [path.join(root, 'node_modules/@types')],
      types: ['node'],
    };
    const config = { extends: path.join(root, 'tsconfig.json'), compilerOptions, include: ['weather.ts'] };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    expect([stdout, status]).toEqual(['', 0]);
  });
});

describe('docs/guides/channels.md', () => {
  const page = readFileSync(path.join(root, 'docs/guides/channels.md'), 'utf8');

  it('has an example of a valid policy', () => {
    for (const example of blocksOf('docs/guides/channels.md', 'yaml'))
      expect(QuestionPolicy.safeParse(parse(example).questions).error).toBeUndefined();
  });

  it('has a manifest with the scopes and URLs that the Slack app needs', () => {
    const [, indented = ''] = /^ +```yaml\n([\s\S]*?)^ +```$/m.exec(page) ?? [];
    const manifest = parse(indented.replace(/^ {3}/gm, ''));
    expect([...manifest.oauth_config.scopes.bot].sort()).toEqual(Object.keys(SLACK_BOT_SCOPES).sort());
    expect(manifest.settings.interactivity.request_url).toMatch(/\/slack\/interactions$/);
    expect(manifest.settings.event_subscriptions.request_url).toMatch(/\/slack\/events$/);
    expect(manifest.features.app_home.messages_tab_enabled).toBe(true);
  });

  it('names every variable of a channel', () => {
    const variables = CHANNELS.flatMap(({ environment }) => Object.keys(environment?.shape ?? {}));
    for (const name of ['PARLEY_PEOPLE', ...variables]) expect(page).toContain(name);
  });

  it('shows PARLEY_PEOPLE as Parley parses it', () => {
    const [, people = ''] = /^PARLEY_PEOPLE='(.*)'$/m.exec(page) ?? [];
    expect(PeopleList.safeParse(people).data?.map(({ name }) => name)).toEqual(['maria', 'joe']);
  });

  it('verifies a signed webhook, and rejects another', async () => {
    const [example = ''] = blocksOf('docs/guides/channels.md', 'ts');
    const [line = ''] = /^import .*\n/.exec(example) ?? [];
    const secret = `whsec_${Buffer.from('a secret of a test').toString('base64')}`;
    const verify = new AsyncFunction('Webhook', 'process', 'body', 'headers', example.slice(line.length));
    const body = '{"type":"question.pending"}';
    const now = new Date();
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
    };
    const given = { env: { PARLEY_WEBHOOK_SECRET: secret } };
    await expect(verify(Webhook, given, body, headers)).resolves.toBeUndefined();
    await expect(verify(Webhook, given, '{}', headers)).rejects.toThrow();
  });
});
