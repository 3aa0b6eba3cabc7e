import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseDocument, type ScalarTag } from 'yaml';
import { readConfig } from '#infra/config';

const FOLDER = path.join(__dirname, '../../../deploy/lambda');

/** CloudFormation's short forms, as what they stand for. */
const tags = ['Ref', 'Sub', 'GetAtt', 'If', 'Equals', 'Not'].flatMap((name) => [
  { tag: `!${name}`, resolve: (text: string) => ({ [name]: text }) },
  {
    tag: `!${name}`,
    collection: 'seq',
    resolve: (seq: { toJSON(): unknown }) => ({ [name]: seq.toJSON() }),
  },
]) as ScalarTag[];

const document = parseDocument(readFileSync(path.join(FOLDER, 'template.yaml'), 'utf8'), {
  customTags: tags,
});
type Value =
  | string
  | { Ref: string }
  | { Sub: string }
  | { GetAtt: string }
  | { If: [condition: string, on: Value, off: Value] };
type Condition = { Equals: [Value, Value] } | { Not: [Condition] };
interface Function {
  CodeUri: string;
  Handler?: string;
  Timeout: number;
  Environment: { Variables: Record<string, Value> };
  FunctionUrlConfig?: { InvokeMode: string };
  Policies: { Statement: { Action: string | string[]; Resource: unknown }[] }[];
}
const template = document.toJS() as {
  Parameters: Record<string, { Default?: string }>;
  Conditions: Record<string, Condition>;
  Globals: { Function: Pick<Function, 'Environment'> & { Handler: string } };
  Resources: Record<string, { Type: string; Properties: Function }>;
};
const FUNCTIONS = ['Api', 'Worker'];

function properties(name: string): Function {
  const { Properties } = template.Resources[name] ?? {};
  if (!Properties) throw new Error(`the template has no ${name}`);
  return Properties;
}

const variablesOf = (name: string) => ({
  ...template.Globals.Function.Environment.Variables,
  ...properties(name).Environment.Variables,
});

const isSecret = (key: string) => /(SECRETS?|KEYS?|TOKEN|SMTP_URL)$/.test(key);

/** What is said at the deploy, and what the secret has then. */
interface Deployed {
  parameters: Record<string, string>;
  secrets: Record<string, string>;
}

const PLAIN: Deployed = {
  parameters: { TemporalAddress: 'x.tmprl.cloud:7233', BuildId: 'b1', StorageBucket: 'bucket' },
  secrets: {
    PARLEY_SECRET: 'a secret of some length',
    PARLEY_API_KEYS: `me=admin=${'0'.repeat(64)}`,
    ANTHROPIC_API_KEY: 'k',
    TEMPORAL_API_KEY: '',
  },
};
const WANTED: Deployed = {
  parameters: {
    PublicUrl: 'https://parley.example.com',
    Encryption: 'on',
    Webhooks: 'on',
    Slack: 'on',
    EmailFrom: 'Parley <parley@example.com>',
    EmailReplyTo: 'reply@in.example.com',
    People: 'ana=ana@example.com',
    ExportsBucket: 'exports',
    TracesTo: 'https://collector.example.com',
  },
  secrets: {
    PARLEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    PARLEY_WEBHOOK_SECRETS: `*=whsec_${Buffer.alloc(24).toString('base64')}`,
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_SIGNING_SECRET: '0'.repeat(32),
    PARLEY_SMTP_URL: 'smtp://mail.example.com',
    PARLEY_EMAIL_SECRET: 'a secret of some length',
  },
};
const EVERYTHING: Deployed = {
  parameters: { ...PLAIN.parameters, ...WANTED.parameters },
  secrets: { ...PLAIN.secrets, ...WANTED.secrets },
};

/** As CloudFormation would work it out. What is not there is a fault, also in a secret. */
function environmentOf(name: string, { parameters, secrets }: Deployed): Record<string, string> {
  const there = <T>(what: T | undefined, of: string): T => {
    if (what === undefined) throw new Error(`there is no ${of}`);
    return what;
  };
  const named = (name: string) =>
    parameters[name] ?? template.Parameters[name]?.Default ?? there(template.Resources[name], name).Type;
  const holds = (condition: Condition): boolean =>
    'Not' in condition ? !holds(condition.Not[0]) : worked(condition.Equals[0]) === worked(condition.Equals[1]);
  const worked = (value: Value): string => {
    if (typeof value === 'string') return value;
    if ('Ref' in value) return named(value.Ref);
    if ('If' in value) {
      const [condition, on, off] = value.If;
      return worked(holds(there(template.Conditions[condition], condition)) ? on : off);
    }
    const text = 'Sub' in value ? value.Sub.replace(/\$\{(\w+)\}/g, (_, name: string) => named(name)) : '';
    const [, key] = /^\{\{resolve:secretsmanager:parley:SecretString:(\w+)\}\}$/.exec(text) ?? [];
    return key ? there(secrets[key], key) : text;
  };
  return Object.fromEntries(Object.entries(variablesOf(name)).map(([key, value]) => [key, worked(value)]));
}

/** Everything the template refers to, wherever. */
function references(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'Ref') return [String(inner)];
    if (key === 'GetAtt') return [String(inner).split('.')[0] ?? ''];
    if (key === 'Sub' && Array.isArray(inner)) {
      const [text, own] = inner as [string, object];
      const taken = references({ Sub: text }).filter((name) => !(name in own));
      return [...taken, ...references(own)];
    }
    if (key === 'If') return [String((inner as unknown[])[0]), ...references((inner as unknown[]).slice(1))];
    if (key === 'Sub') return [...String(inner).matchAll(/\$\{([\w:]+)\}/g)].map(([, name = '']) => name);
    return references(inner);
  });
}

describe('the template for Lambda', () => {
  it('is read without a fault, and refers only to what there is', () => {
    expect(document.errors).toEqual([]);
    expect(document.warnings).toEqual([]);
    const { Parameters, Resources, Conditions } = template;
    const there = [Parameters, Resources, Conditions].flatMap(Object.keys).concat('ApiUrl');
    const named = references(template).filter((name) => !name.startsWith('AWS::'));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !there.includes(name))).toEqual([]);
  });

  it.each(FUNCTIONS)('has a handler of the %s in the source that the build packs', (name) => {
    const { CodeUri, Handler = template.Globals.Function.Handler } = properties(name);
    const folder = path.basename(CodeUri);
    expect(path.resolve(FOLDER, CodeUri)).toBe(path.join(__dirname, '../../../dist/lambda', folder));
    const source = path.join(__dirname, '../../../src/lambda', `${folder}.ts`);
    expect(existsSync(source)).toBe(true);
    const [file, exported] = Handler.split('.');
    expect(file).toBe('index');
    expect(readFileSync(source, 'utf8')).toMatch(new RegExp(`^export .*\\b${exported}\\b`, 'm'));
  });

  it.each(FUNCTIONS)('gives the %s an environment that Parley accepts', (name) => {
    const config = readConfig(environmentOf(name, PLAIN));
    expect(config.temporal.encryption).toBeUndefined();
    expect(config.channels.slack ?? config.channels.email).toBeUndefined();
    expect(config.exports ?? config.tracing).toBeUndefined();
  });

  it.each(FUNCTIONS)('switches on for the %s whatever Parley can', (name) => {
    const environment = environmentOf(name, EVERYTHING);
    expect(environment).toMatchObject(WANTED.secrets);
    const { temporal, channels, exports, tracing, publicUrl } = readConfig(environment);
    for (const part of [temporal.encryption, channels.slack, channels.email, exports, tracing, publicUrl])
      expect(part).toBeDefined();
    expect(channels.people).toHaveLength(1);
  });

  it('tells of each parameter that switches something on, and of what the secret needs for it', () => {
    const guide = readFileSync(path.join(FOLDER, 'README.md'), 'utf8');
    for (const name of [...Object.keys(WANTED.parameters), ...Object.keys(WANTED.secrets)])
      expect(guide).toContain(name);
  });

  it('streams where the handler does, and ends a stream before the function', () => {
    const { Handler, FunctionUrlConfig, Timeout } = properties('Api');
    expect([Handler, FunctionUrlConfig?.InvokeMode]).toEqual(['index.streaming', 'RESPONSE_STREAM']);
    const [, lasting = ''] =
      /lastingMs: (50_000)/.exec(readFileSync(path.join(__dirname, '../../../src/lambda/api.ts'), 'utf8')) ?? [];
    expect(Number(lasting.replace('_', ''))).toBeLessThan(1_000 * Timeout - 5_000);
  });

  it('has no secret in it, and lets a function do nothing but what it does', () => {
    for (const name of FUNCTIONS) {
      for (const [key, value] of Object.entries(variablesOf(name)))
        if (isSecret(key))
          expect([value, typeof value === 'object' && 'If' in value && value.If[1]]).toContainEqual({
            Sub: `{{resolve:secretsmanager:\${Secrets}:SecretString:${key}}}`,
          });
      const actions = properties(name).Policies.flatMap(({ Statement }) => Statement.flatMap(({ Action }) => Action));
      expect(actions.filter((action) => action.includes('*'))).toEqual([]);
      expect(actions.includes('s3:PutObject')).toBe(name === 'Worker');
    }
  });
});
