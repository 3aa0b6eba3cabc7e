import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseDocument, type ScalarTag } from 'yaml';
import { readConfig } from '../../src/config';

const FOLDER = path.join(__dirname, '../../deploy/lambda');

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
type Value = string | { Ref?: string; Sub?: string; If?: [condition: string, on: Value, off: Value] };
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
  Conditions: Record<string, unknown>;
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

const NEEDED: Record<string, string> = {
  TEMPORAL_ADDRESS: 'x.tmprl.cloud:7233',
  TEMPORAL_NAMESPACE: 'x',
  PARLEY_SECRET: 'a secret of some length',
  PARLEY_API_KEYS: `me=admin=${'0'.repeat(64)}`,
  PARLEY_STORAGE: 's3://bucket',
  PARLEY_BUILD_ID: 'b1',
};
const WANTED: Record<string, string> = {
  PARLEY_PUBLIC_URL: 'https://parley.example.com',
  PARLEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
  PARLEY_WEBHOOK_SECRETS: `*=whsec_${Buffer.alloc(24).toString('base64')}`,
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_SIGNING_SECRET: '0'.repeat(32),
  PARLEY_SMTP_URL: 'smtp://mail.example.com',
  PARLEY_EMAIL_FROM: 'Parley <parley@example.com>',
  PARLEY_EMAIL_REPLY_TO: 'reply@in.example.com',
  PARLEY_EMAIL_SECRET: 'a secret of some length',
  PARLEY_EXPORTS: 's3://exports',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com',
};

/** As a function finds it, where what the template leaves open is as given, and else empty. */
function environmentOf(name: string, given: Record<string, string>): Record<string, string> {
  const read = (key: string, value: Value): string => {
    if (typeof value === 'string') return value;
    if (value.If) return read(key, value.If[key in given ? 1 : 2]);
    return given[key] ?? '';
  };
  return Object.fromEntries(Object.entries(variablesOf(name)).map(([key, value]) => [key, read(key, value)]));
}

/** Everything the template refers to, wherever. */
function references(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'Ref') return [String(inner)];
    if (key === 'GetAtt') return [String(inner).split('.')[0] ?? ''];
    if (key === 'Sub') return [...String(inner).matchAll(/\$\{([\w:]+)\}/g)].map(([, name = '']) => name);
    return references(inner);
  });
}

describe('the template for Lambda', () => {
  it('is read without a fault, and refers only to what there is', () => {
    expect(document.errors).toEqual([]);
    expect(document.warnings).toEqual([]);
    const there = [...Object.keys(template.Parameters), ...Object.keys(template.Resources), 'ApiUrl'];
    const named = references(template).filter((name) => !name.startsWith('AWS::'));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !there.includes(name))).toEqual([]);
  });

  it.each(FUNCTIONS)('has a handler of the %s in the source that the build packs', (name) => {
    const { CodeUri, Handler = template.Globals.Function.Handler } = properties(name);
    const folder = path.basename(CodeUri);
    expect(path.resolve(FOLDER, CodeUri)).toBe(path.join(__dirname, '../../dist/lambda', folder));
    const source = path.join(__dirname, '../../src/lambda', `${folder}.ts`);
    expect(existsSync(source)).toBe(true);
    const [file, exported] = Handler.split('.');
    expect(file).toBe('index');
    expect(readFileSync(source, 'utf8')).toMatch(new RegExp(`^export .*\\b${exported}\\b`, 'm'));
  });

  it.each(FUNCTIONS)('gives the %s an environment that Parley accepts', (name) => {
    const config = readConfig(environmentOf(name, NEEDED));
    expect(config.temporal.encryption).toBeUndefined();
    expect(config.channels.slack ?? config.channels.email).toBeUndefined();
    expect(config.tracing).toBeUndefined();
  });

  it.each(FUNCTIONS)('switches on for the %s whatever Parley can', (name) => {
    const environment = environmentOf(name, { ...NEEDED, ...WANTED });
    expect(environment).toMatchObject({ ...WANTED });
    const { temporal, channels, exports, tracing } = readConfig(environment);
    for (const part of [temporal.encryption, channels.slack, channels.email, exports, tracing])
      expect(part).toBeDefined();
  });

  it('tells of each parameter that switches something on', () => {
    const guide = readFileSync(path.join(FOLDER, 'README.md'), 'utf8');
    for (const [name, { Default }] of Object.entries(template.Parameters))
      if (Default === '' || Default === 'off') expect(guide).toContain(name);
    for (const key of Object.keys(WANTED)) if (isSecret(key)) expect(guide).toContain(key);
  });

  it('streams where the handler does, and ends a stream before the function', () => {
    const { Handler, FunctionUrlConfig, Timeout } = properties('Api');
    expect([Handler, FunctionUrlConfig?.InvokeMode]).toEqual(['index.streaming', 'RESPONSE_STREAM']);
    const [, lasting = ''] =
      /lastingMs: (50_000)/.exec(readFileSync(path.join(__dirname, '../../src/lambda/api.ts'), 'utf8')) ?? [];
    expect(Number(lasting.replace('_', ''))).toBeLessThan(1_000 * Timeout - 5_000);
  });

  it('has no secret in it, and lets a function do nothing but what it does', () => {
    for (const name of FUNCTIONS) {
      for (const [key, value] of Object.entries(variablesOf(name)))
        if (isSecret(key))
          expect([value, typeof value === 'object' && value.If?.[1]]).toContainEqual({
            Sub: `{{resolve:secretsmanager:\${Secrets}:SecretString:${key}}}`,
          });
      const actions = properties(name).Policies.flatMap(({ Statement }) =>
        Statement.flatMap(({ Action }) => Action),
      );
      expect(actions.filter((action) => action.includes('*'))).toEqual([]);
      expect(actions.includes('s3:PutObject')).toBe(name === 'Worker');
    }
  });
});
