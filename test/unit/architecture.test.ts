import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { buildWorkflowBundle, createBundleOptions } from '#infra/temporal/workflow-bundle';

const SOURCE = path.join(__dirname, '../../src');
const WEB = path.join(__dirname, '../../web');

interface Import {
  file: string;
  /** A package, or a path below src without its extension. */
  from: string;
  isType: boolean;
  names: string;
}

function sources(folder = SOURCE): { file: string; text: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  return files.map((file) => ({
    file: file.replaceAll(path.sep, '/'),
    text: readFileSync(path.join(folder, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ''),
  }));
}

const STATEMENT = /^(?:import|export)\s+(type\s)?([^;'"]*?)\s*from\s+['"]([^'"]+)['"]/gm;
const CALL = /(?:\bimport|\brequire(?:\.resolve)?)\s*\(\s*['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]/gm;

function importsOf({ file, text }: { file: string; text: string }): Import[] {
  const resolved = (from: string) => {
    if (from.startsWith('#')) return file.startsWith('web/') ? `src/${from.slice(1)}` : from.slice(1);
    return from.startsWith('.') ? path.posix.join(path.posix.dirname(file), from) : from;
  };
  const statements = [...text.matchAll(STATEMENT)].map(([, type, names = '', from = '']) => {
    const parts = /^\{([\s\S]*)\}$/
      .exec(names.trim())?.[1]
      ?.split(',')
      .filter((part) => part.trim() !== '');
    const isType = Boolean(type) || (parts?.every((part) => /^\s*type\s/.test(part)) ?? false);
    return { file, from: resolved(from), isType, names };
  });
  const calls = [...text.matchAll(CALL)].map(([, called, bare]) => {
    return { file, from: resolved(called ?? bare ?? ''), isType: false, names: '' };
  });
  return [...statements, ...calls];
}

const imports = sources().flatMap(importsOf);
/** Whether more than types are exported, since only that leaves a trace in a bundle. */
const hasValues = (text: string) => /^export (?:async )?(?:function|class|const)/m.test(text);
const folderOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '');

interface Rule {
  /** Folders below src, and packages. */
  uses: string[];
  /** Only their types. */
  types?: string[];
}

/** What any Node code may use: configuration, log, HTTP, storage, keys. None of it knows conversations. */
const BASE = ['contract', 'core', 'presentation', 'infra', 'node:', 'zod'];

/** Who may import what. The longest matching path is a file's rule, and a folder may always use itself. */
const RULES: Record<string, Rule> = {
  contract: { uses: ['zod'] },
  core: { uses: ['@noble/hashes', 're2js', '@temporalio/common'], types: ['contract'] },
  presentation: { uses: ['core'], types: ['contract'] },
  workflows: { uses: ['core', '@temporalio/workflow', '@temporalio/common'], types: ['contract', 'activities'] },
  infra: {
    uses: [
      'contract',
      'node:',
      'zod',
      '@aws-sdk/client-s3',
      '@opentelemetry/',
      '@temporalio/',
      'ipaddr.js',
      'markdown-it',
      'pino',
      'prom-client',
      'undici',
    ],
  },
  // Clients and bundles name the workflows' entry and their converters by path.
  'infra/temporal': { uses: ['infra', 'contract', 'workflows', 'node:', '@noble/hashes', '@temporalio/', 're2js'] },
  archive: { uses: [...BASE], types: ['@temporalio/client'] },
  tools: { uses: [...BASE, '@modelcontextprotocol/client'] },
  models: { uses: [...BASE, '@anthropic-ai/sdk'], types: ['tools'] },
  agents: { uses: [...BASE, 'tools', 'channels', 'yaml'] },
  channels: {
    uses: [...BASE, '@slack/web-api', 'nodemailer', 'standardwebhooks'],
    types: ['@slack/types', 'express'],
  },
  'channels/slack/inbound': { uses: [...BASE, 'channels', 'express'] },
  'channels/email/inbound': { uses: [...BASE, 'channels', 'express', 'html-to-text', 'mailparser'] },
  activities: {
    uses: [
      ...BASE,
      'archive',
      'channels',
      'models',
      'tools',
      'workflows/messages',
      '@temporalio/activity',
      '@temporalio/client',
    ],
    types: ['agents', 'workflows', '@temporalio/worker'],
  },
  telemetry: {
    uses: [...BASE, 'models', '@temporalio/common', 'prom-client'],
    types: ['activities', 'workflows', '@temporalio/'],
  },
  api: {
    uses: [
      ...BASE,
      'agents',
      'archive',
      'channels',
      'telemetry',
      'tools',
      'workflows/messages',
      '@redis/client',
      '@temporalio/client',
      '@temporalio/common',
      'compression',
      'cors',
      'express',
      'express-rate-limit',
      'helmet',
      'pino-http',
      'standardwebhooks',
    ],
    types: ['workflows', '@temporalio/proto'],
  },
  worker: {
    uses: [
      ...BASE,
      'activities',
      'agents',
      'archive',
      'channels',
      'models',
      'telemetry',
      'tools',
      'workflows/messages',
      '@temporalio/',
    ],
    types: ['workflows'],
  },
  lambda: {
    uses: [
      ...BASE,
      'api',
      'channels/read-config',
      'worker',
      '@aws-sdk/client-lambda',
      '@temporalio/lambda-worker',
      '@temporalio/worker',
    ],
    types: ['aws-lambda'],
  },
  client: { uses: ['eventsource-parser'], types: ['contract', 'zod'] },
  cli: {
    uses: [
      'client',
      'core',
      'presentation',
      'infra/loopback',
      'infra/package-info',
      'node:',
      'commander',
      'markdown-it',
      'picocolors',
      'string-width',
      'wrap-ansi',
    ],
    types: ['contract'],
  },
  'cli/admin': {
    uses: [...BASE, 'agents', 'channels', 'cli', 'tools', 'worker', 'workflows/messages', '@temporalio/'],
  },
  'main.ts': { uses: [...BASE, 'api', 'archive', 'channels/read-config', 'worker'] },
};

const isUnder = (from: string, allowed: string) =>
  from === allowed || from.startsWith(`${allowed}/`) || (/[:/]$/.test(allowed) && from.startsWith(allowed));

function ruleOf(file: string): string | undefined {
  const matching = Object.keys(RULES).filter((rule) => isUnder(file, rule));
  return matching.sort((a, b) => b.length - a.length)[0];
}

function isAllowed({ file, from, isType }: Import): boolean {
  const { uses, types = [] } = RULES[ruleOf(file) ?? ''] ?? { uses: [] };
  return [ruleOf(file) ?? '', ...uses, ...(isType ? types : [])].some((allowed) => isUnder(from, allowed));
}

describe('the sources', () => {
  it('are read here as they are written', () => {
    const found = imports.map(({ file, from, isType }) => `${file} ${from} ${isType}`);
    expect(found).toContain('core/questions/validate-answer.ts contract/question true');
    expect(found).toContain('contract/agent.ts zod false');
    expect(found).toContain('api/router.ts contract/requests false');
    expect(found).toContain('activities/call-model.ts tools/tool-set true');
    expect(found).toContain('infra/temporal/workflow-bundle.ts node:path false');
  });

  it('have a rule for every file', () => {
    const files = sources().map(({ file }) => file);
    expect(files.filter((file) => ruleOf(file) === undefined)).toEqual([]);
  });

  it.each(Object.keys(RULES))('import into %s only what its rule allows', (rule) => {
    const broken = imports.filter((one) => ruleOf(one.file) === rule && !isAllowed(one));
    expect(broken.map(({ file, from, isType }) => `${file} imports ${isType ? 'types of ' : ''}${from}`)).toEqual([]);
  });

  it('create a Temporal client in one file of the API', () => {
    const holders = imports.filter(({ file, from, names }) => {
      return folderOf(file) === 'api' && from === '@temporalio/client' && /\b(Client|Connection)\b/.test(names);
    });
    expect(holders.map(({ file }) => file)).toEqual(['api/temporal/gateway.ts']);
  });

  it('distinguish HTTP errors in the error middleware only: a service returns what happened', () => {
    const catching = sources().filter(({ text }) => /\binstanceof ApiError\b/.test(text));
    expect(catching.map(({ file }) => file)).toEqual(['api/middleware/errors.ts']);
  });

  const environment = /\b(Buffer|process|console|require|fetch|globalThis|crypto)\b(?=[.([])/;
  const clock = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bset(Timeout|Interval)\b|\bperformance\b/;

  it.each([
    ['core', 'clock and chance', clock],
    ['core', 'globals that some environments lack', environment],
    ['contract', 'globals that some environments lack', environment],
  ])('keep %s free of %s', (folder, _what, forbidden) => {
    const guilty = sources().filter(({ file, text }) => folderOf(file) === folder && forbidden.test(text));
    expect(guilty.map(({ file }) => file)).toEqual([]);
  });

  it('export each name from one file', () => {
    const named = /^export (?:async )?(?:abstract )?(?:function\*?|class|const|interface|type|enum) (\w+)/gm;
    const files = new Map<string, Set<string>>();
    for (const { file, text } of sources())
      for (const [, name = ''] of text.matchAll(named)) files.set(name, (files.get(name) ?? new Set()).add(file));
    // Entry points whose names are fixed from outside: AWS Lambda's `handler`, Temporal's `interceptors`.
    const given = ['handler', 'interceptors'];
    const repeated = [...files].filter(([name, { size }]) => size > 1 && !given.includes(name));
    expect(repeated.map(([name, where]) => `${name}: ${[...where].join(', ')}`)).toEqual([]);
  });

  it('stay small: 400 lines a file, 14 files a folder', () => {
    const all = [...sources(), ...sources(WEB).map(({ file, text }) => ({ file: `web/${file}`, text }))];
    expect(all.filter(({ text }) => text.split('\n').length > 400).map(({ file }) => file)).toEqual([]);
    const folders = new Map<string, number>();
    for (const { file } of all) folders.set(path.dirname(file), (folders.get(path.dirname(file)) ?? 0) + 1);
    expect([...folders].filter(([, count]) => count > 14)).toEqual([]);
  });
});

describe('the web app', () => {
  const files = sources(WEB).map((one) => ({
    ...one,
    file: `web/${one.file}`,
  }));
  const PACKAGES = ['react', 'react-dom', 'react-markdown', 'redoc', 'lucide-react', 'wouter', 'zustand'];
  const GFM = /^(mdast-util|micromark-extension)-gfm-/;
  const uses = [
    'web',
    'src/client',
    'src/presentation',
    'src/core/timeline',
    'src/core/tools/stored-result-marker',
    ...PACKAGES,
    '@tanstack/react-query',
    '@tanstack/react-virtual',
  ];

  it('imports only the client, the presentation and the types of the contract', () => {
    const found = files.flatMap(importsOf);
    expect(found.length).toBeGreaterThan(100);
    const broken = found.filter(
      ({ from, isType }) =>
        !GFM.test(from) && ![...uses, ...(isType ? ['src/contract'] : [])].some((allowed) => isUnder(from, allowed)),
    );
    expect(broken.map(({ file, from }) => `${file} imports ${from}`)).toEqual([]);
  });

  it('never turns text into HTML', () => {
    const html =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|\beval\(|new Function/i;
    expect(files.filter(({ text }) => html.test(text)).map(({ file }) => file)).toEqual([]);
  });
});

describe('the workflow bundle', () => {
  it('contains core and workflows, and neither zod nor Node modules', async () => {
    const ignore = () => undefined;
    const logger = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
    const { code } = await bundleWorkflowCode({
      ...createBundleOptions(),
      logger,
    });
    const modules = [...code.matchAll(/^ {2}!\*\*\* (.+?)(?: \(ignored\))? \*\*\*!$/gm)].map(([, name = '']) => name);

    const own = modules.flatMap((name) => /(?:^|\/)src\/((?:[\w-]+\/)+[\w-]+\.ts)$/.exec(name)?.[1] ?? []);
    expect(new Set(own.map(folderOf))).toEqual(new Set(['core', 'workflows']));
    // A change here can break the replay of conversations; code that cannot does not belong here.
    const unused = sources().filter(
      ({ file, text }) => folderOf(file) === 'core' && hasValues(text) && !own.includes(file),
    );
    expect(unused.map(({ file }) => file)).toEqual([]);
    const packages = modules.flatMap((name) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1] ?? []);
    expect(packages).toContain('@temporalio/workflow');
    expect(packages).toContain('re2js');
    expect(packages).toContain('@noble/hashes');
    for (const unwanted of [
      'zod',
      'yaml',
      'express',
      '@anthropic-ai/sdk',
      '@modelcontextprotocol/client',
      '@temporalio/client',
      '@temporalio/worker',
    ])
      expect(packages).not.toContain(unwanted);
    expect(modules.filter((name) => builtinModules.includes(name.replace(/^node:/, '')))).toEqual([]);
  });

  it('loads its modules once for all runs', async () => {
    const { codePath } = await buildWorkflowBundle(path.join(__dirname, '../../dist'));
    const [, body] = /function preloadModules\(\) \{([^}]*)\}/.exec(readFileSync(codePath, 'utf8')) ?? [];
    expect(body).toMatch(/__webpack_require__\(.*workflows\/index/);
  });

  it('keeps no state of a run in its modules, which all runs share', () => {
    const variables =
      /^(?:export )?(?:let|var) .*|^(?:export )?const \w+[^=]*= (?:new (?!RegExp|Intl|DefaultFailureConverter)\w+.*|\[\];|\{\};)/gm;
    const found = sources()
      .filter(({ file }) => /^(core|workflows)\//.test(file))
      .flatMap(({ file, text }) => [...text.matchAll(variables)].map(([line]) => `${file}: ${line}`));
    // Compiled patterns are the same for all runs.
    expect(found).toEqual(['core/schema/pattern.ts: const patternCache = new Map<string, CompiledPattern>();']);
  });

  it('has no shared regular expression with state', () => {
    const texts = sources().filter(({ file }) => /^(core|workflows)\//.test(file));
    const all = texts.map(({ text }) => text).join('\n');
    const names = [
      ...all.matchAll(/^(?:export )?const (\w+)\b[^;]*?(?:\/[a-z]*[gy][a-z]*|'[a-z]*[gy][a-z]*',?\n?\));/gm),
    ];
    expect(names.map(([, name]) => name)).toContain('PATTERN_TOKEN');
    const used = names.filter(([, name]) => new RegExp(`\\b${name}\\.(exec|test)\\(`).test(all));
    expect(used.map(([, name]) => name)).toEqual([]);
  });
});
