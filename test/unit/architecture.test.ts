import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { buildWorkflowBundle, createBundleOptions } from '#infra/temporal/workflow-bundle';

const SOURCE = path.join(__dirname, '../../src');

interface Import {
  file: string;
  /** A package, or a path below src without its ending. */
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
const folderOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '');

interface Rule {
  /** Folders and files below src, and packages. */
  uses: string[];
  /** Only their types. */
  types?: string[];
}

/** Who may import whom. Each folder may import from itself; an entry wires what it likes. */
const RULES: Record<string, Rule> = {
  contract: { uses: ['zod'] },
  core: { uses: ['re2js'], types: ['contract'] },
  workflows: {
    uses: ['core', '@temporalio/workflow', '@temporalio/common'],
    types: ['contract', 'activities'],
  },
  network: { uses: ['node:', 'undici', 'ipaddr.js'] },
  tools: { uses: ['contract', 'core', 'zod', '@modelcontextprotocol/client', 'node:'], types: ['network'] },
  model: { uses: ['contract', 'core', '@anthropic-ai/sdk', 'node:'], types: ['tools'] },
  signing: { uses: ['node:', 'core'], types: ['contract'] },
  channels: {
    uses: [
      'contract',
      'core',
      'signing',
      '@slack/web-api',
      'nodemailer',
      'mailparser',
      'markdown-it',
      'standardwebhooks',
      'node:',
    ],
    types: ['network', '@slack/types'],
  },
  activities: {
    uses: [
      'contract',
      'core',
      'tools',
      'model',
      'channels',
      'storage',
      'workflows/messages',
      '@temporalio/activity',
      '@temporalio/client',
      'node:',
    ],
    types: ['network', 'signing', 'workflows/hand-over', 'workflows/errands', '@temporalio/worker'],
  },
  agents: { uses: ['contract', 'core', 'tools/tool', 'yaml', 'node:'], types: ['tools', 'zod'] },
  api: {
    uses: [
      'contract',
      'core',
      'workflows/messages',
      'workflows/presence',
      'agents',
      'channels',
      'signing',
      'sealing',
      'temporal',
      'storage',
      'config',
      'log',
      'project',
      'express',
      'express-rate-limit',
      'compression',
      'cors',
      'helmet',
      'pino-http',
      '@redis/client',
      'standardwebhooks',
      'zod',
      '@temporalio/client',
      '@temporalio/common',
      'node:',
    ],
    types: ['@temporalio/proto', 'workflows/hand-over', 'network', 'metrics', 'tracing'],
  },
  temporal: {
    uses: [
      'node:',
      'project',
      'sealing',
      '@temporalio/',
      're2js',
      'core/pattern',
      'workflows/index',
      'workflows/tracing',
      'workflows/unbegun',
      'workflows/payload-converter',
      'workflows/failure-converter',
    ],
    types: ['config', 'contract', 'log'],
  },
  sealing: { uses: ['node:'], types: ['contract'] },
  storage: { uses: ['node:', 'sealing', '@aws-sdk/client-s3'], types: ['contract', 'core'] },
  replay: {
    uses: ['node:', 'project', 'temporal', 'workflows/messages', '@temporalio/'],
    types: ['contract'],
  },
  promote: { uses: ['temporal', 'replay', '@temporalio/client', 'node:'], types: ['config'] },
  metrics: {
    uses: ['core', 'model/model', 'prom-client', '@temporalio/worker'],
    types: ['activities', 'workflows', '@temporalio/'],
  },
  tracing: {
    uses: [
      'contract',
      'activities/rarely',
      'model/model',
      'workflows/tracing',
      '@opentelemetry/',
      '@temporalio/common',
      'node:',
    ],
    types: ['log', 'network', '@temporalio/'],
  },
  worker: { uses: ['api/keys', 'node:'], types: ['contract', 'metrics', '@temporalio/worker'] },
  lambda: {
    uses: ['contract', 'config', '@aws-sdk/client-lambda', 'node:'],
    types: ['log', 'aws-lambda', '@temporalio/worker'],
  },
  client: { uses: ['eventsource-parser'], types: ['contract', 'zod'] },
  cli: {
    uses: [
      'client',
      'core',
      'project',
      'node:',
      'commander',
      'markdown-it',
      'open',
      'picocolors',
      'string-width',
      'wrap-ansi',
    ],
    types: ['contract'],
  },
};
const ENTRIES = [
  'main.ts',
  'key.ts',
  'onlookers.ts',
  ...['agents', 'api', 'channels', 'cli', 'promote', 'replay'].map((folder) => `${folder}/main.ts`),
  // Parts that more than one entry wires alike.
  'api/assemble.ts',
  'worker/effects.ts',
  'worker/onlookers.ts',
  'worker/options.ts',
  'lambda/api.ts',
  'lambda/worker.ts',
];

const isUnder = (from: string, allowed: string) =>
  from === allowed || from.startsWith(`${allowed}/`) || (/[:/]$/.test(allowed) && from.startsWith(allowed));

function isAllowed({ file, from, isType }: Import): boolean {
  const folder = folderOf(file);
  const { uses, types = [] } = RULES[folder] ?? { uses: [] };
  return [folder, ...uses, ...(isType ? types : [])].some((allowed) => isUnder(from, allowed));
}

describe('the house', () => {
  it('is read as it is written', () => {
    const found = imports.map(({ file, from, isType }) => `${file} ${from} ${isType}`);
    expect(found).toContain('core/answers.ts contract/question true');
    expect(found).toContain('contract/agent.ts zod false');
    expect(found).toContain('api/conversations.ts contract/requests false');
    expect(found).toContain('activities/model-call.ts tools/toolbox true');
    expect(found).toContain('temporal/workflow-bundle.ts workflows/index false');
  });

  it('has a rule for every folder', () => {
    const folders = new Set(sources().map(({ file }) => folderOf(file)));
    folders.delete('');
    expect([...folders].filter((folder) => !RULES[folder])).toEqual([]);
  });

  it.each(Object.keys(RULES))('imports into %s only what it may', (folder) => {
    const own = imports.filter(({ file }) => folderOf(file) === folder && !ENTRIES.includes(file));
    const broken = own.filter((one) => !isAllowed(one));
    expect(broken.map(({ file, from, isType }) => `${file} imports ${isType ? 'types of ' : ''}${from}`)).toEqual([]);
  });

  it('lets nothing but an entry wire the parts together', () => {
    const roots = imports.filter(({ file }) => !file.includes('/') && !ENTRIES.includes(file));
    const wiring = roots.filter(({ from }) => folderOf(`${from}/`) in RULES);
    const small = ['network/internal-hosts', 'sealing/key-error', 'activities/rarely', 'temporal/reason'];
    const isReading = (from: string) => small.includes(from) || isUnder(from, 'contract');
    expect(wiring.filter(({ from }) => !isReading(from))).toEqual([]);
  });

  it('takes from the presence of a workflow only its search attributes', () => {
    const outside = imports.filter(({ file, from }) => from === 'workflows/presence' && folderOf(file) === 'api');
    expect(outside.map(({ names }) => names.replace(/[{}\s]/g, ''))).toEqual(['attributesToStartWith']);
  });

  it('holds a Temporal Client in one file of the API', () => {
    const holders = imports.filter(({ file, from, names }) => {
      return folderOf(file) === 'api' && from === '@temporalio/client' && /\b(Client|Connection)\b/.test(names);
    });
    expect(holders.map(({ file }) => file)).toEqual(['api/gateway.ts']);
  });

  const world = /\b(Buffer|process|console|require|fetch|globalThis|crypto)\b(?=[.([])/;
  const clock = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bset(Timeout|Interval)\b|\bperformance\b/;

  it.each([
    ['core', 'clock and chance', clock],
    ['core', 'what only some worlds have', world],
    ['contract', 'what only some worlds have', world],
  ])('keeps %s free of %s', (folder, _what, forbidden) => {
    const guilty = sources().filter(({ file, text }) => folderOf(file) === folder && forbidden.test(text));
    expect(guilty.map(({ file }) => file)).toEqual([]);
  });
});

describe('the web app', () => {
  const files = sources(path.join(__dirname, '../../web')).map((one) => ({
    ...one,
    file: `web/${one.file}`,
  }));
  const PACKAGES = ['react', 'react-dom', 'react-markdown', 'lucide-react', 'wouter', 'zustand'];
  const GFM = /^(mdast-util|micromark-extension)-gfm-/;
  // How a question is asked, an action to confirm shown and an outcome told must not differ from place to place.
  const shared = [
    'control',
    'danger',
    'filling',
    'gist',
    'kept-result',
    'question-key',
    'shown-action',
    'times',
    'urgency',
    'words',
  ].map((name) => `src/core/${name}`);
  const uses = ['web', 'src/client', ...shared, ...PACKAGES, '@tanstack/react-query', '@tanstack/react-virtual'];

  it('imports the client, what is shown and said everywhere and the types of the contract, and nothing else of Parley', () => {
    const found = files.flatMap(importsOf);
    expect(found.length).toBeGreaterThan(100);
    const broken = found.filter(
      ({ from, isType }) =>
        !GFM.test(from) && ![...uses, ...(isType ? ['src/contract'] : [])].some((allowed) => isUnder(from, allowed)),
    );
    expect(broken.map(({ file, from }) => `${file} imports ${from}`)).toEqual([]);
  });

  it('never makes HTML of a text', () => {
    const html =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|\beval\(|new Function/i;
    expect(files.filter(({ text }) => html.test(text)).map(({ file }) => file)).toEqual([]);
  });
});

describe('the workflow bundle', () => {
  it('holds the core and the workflows, and neither zod nor anything of Node', async () => {
    const ignore = () => undefined;
    const logger = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
    const { code } = await bundleWorkflowCode({
      ...createBundleOptions(),
      logger,
    });
    const modules = [...code.matchAll(/^ {2}!\*\*\* (.+?)(?: \(ignored\))? \*\*\*!$/gm)].map(([, name = '']) => name);

    const own = modules.flatMap((name) => /(?:^|\/)src\/(\w+)\/[\w-]+\.ts$/.exec(name)?.[1] ?? []);
    expect(new Set(own)).toEqual(new Set(['core', 'workflows']));
    const packages = modules.flatMap((name) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1] ?? []);
    expect(packages).toContain('@temporalio/workflow');
    expect(packages).toContain('re2js');
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

  it('keeps nothing of a run in its modules, which all runs share', () => {
    const variables =
      /^(?:export )?(?:let|var) .*|^(?:export )?const \w+[^=]*= (?:new (?!RegExp|Intl|DefaultFailureConverter)\w+.*|\[\];|\{\};)/gm;
    const found = sources()
      .filter(({ file }) => /^(core|workflows)\//.test(file))
      .flatMap(({ file, text }) => [...text.matchAll(variables)].map(([line]) => `${file}: ${line}`));
    // What was compiled before is the same for everybody.
    expect(found).toEqual(['core/pattern.ts: const compiled = new Map<string, Compiled>();']);
  });

  it('has no shared expression that remembers where it stopped', () => {
    const texts = sources().filter(({ file }) => /^(core|workflows)\//.test(file));
    const all = texts.map(({ text }) => text).join('\n');
    const names = [
      ...all.matchAll(/^(?:export )?const (\w+)\b[^;]*?(?:\/[a-z]*[gy][a-z]*|'[a-z]*[gy][a-z]*',?\n?\));/gm),
    ];
    expect(names.map(([, name]) => name)).toContain('HEADING');
    const used = names.filter(([, name]) => new RegExp(`\\b${name}\\.(exec|test)\\(`).test(all));
    expect(used.map(([, name]) => name)).toEqual([]);
  });
});
