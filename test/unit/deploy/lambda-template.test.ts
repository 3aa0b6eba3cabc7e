import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseDocument, type ScalarTag } from 'yaml';
import { readConfig } from '#channels/read-config';

const FOLDER = path.join(__dirname, '../../../deploy/lambda');

/** CloudFormation's short forms, with what they mean. */
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

/** The parameters of a deployment, and the secret it leads to. */
interface Deployment {
  parameters: Record<string, string>;
  secrets: Record<string, string>;
}

const MINIMAL_DEPLOYMENT: Deployment = {
  parameters: { TemporalAddress: 'x.tmprl.cloud:7233', BuildId: 'b1', StorageBucket: 'bucket' },
  secrets: {
    PARLEY_SECRET: 'a secret of some length which is as long as 32 random bytes in base64',
    PARLEY_API_KEYS: `me=admin=${'0'.repeat(64)}`,
    ANTHROPIC_API_KEY: 'k',
    TEMPORAL_API_KEY: '',
  },
};
const OPTIONAL_FEATURES: Deployment = {
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
const FULL_DEPLOYMENT: Deployment = {
  parameters: { ...MINIMAL_DEPLOYMENT.parameters, ...OPTIONAL_FEATURES.parameters },
  secrets: { ...MINIMAL_DEPLOYMENT.secrets, ...OPTIONAL_FEATURES.secrets },
};

/** Evaluates it like CloudFormation. A missing name is an error, also in a secret. */
function environmentOf(name: string, { parameters, secrets }: Deployment): Record<string, string> {
  const assertDefined = <T>(value: T | undefined, description: string): T => {
    if (value === undefined) throw new Error(`there is no ${description}`);
    return value;
  };
  const resolveReference = (name: string) =>
    parameters[name] ?? template.Parameters[name]?.Default ?? assertDefined(template.Resources[name], name).Type;
  const isTrue = (condition: Condition): boolean =>
    'Not' in condition
      ? !isTrue(condition.Not[0])
      : resolveValue(condition.Equals[0]) === resolveValue(condition.Equals[1]);
  const resolveValue = (value: Value): string => {
    if (typeof value === 'string') return value;
    if ('Ref' in value) return resolveReference(value.Ref);
    if ('If' in value) {
      const [condition, on, off] = value.If;
      return resolveValue(isTrue(assertDefined(template.Conditions[condition], condition)) ? on : off);
    }
    const text = 'Sub' in value ? value.Sub.replace(/\$\{(\w+)\}/g, (_, name: string) => resolveReference(name)) : '';
    const [, key] = /^\{\{resolve:secretsmanager:parley:SecretString:(\w+)\}\}$/.exec(text) ?? [];
    return key ? assertDefined(secrets[key], key) : text;
  };
  return Object.fromEntries(Object.entries(variablesOf(name)).map(([key, value]) => [key, resolveValue(value)]));
}

/** Every reference in the template, at any depth. */
function references(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, child]) => {
    if (key === 'Ref') return [String(child)];
    if (key === 'GetAtt') return [String(child).split('.')[0] ?? ''];
    if (key === 'Sub' && Array.isArray(child)) {
      const [text, substitutions] = child as [string, object];
      const outerReferences = references({ Sub: text }).filter((name) => !(name in substitutions));
      return [...outerReferences, ...references(substitutions)];
    }
    if (key === 'If') return [String((child as unknown[])[0]), ...references((child as unknown[]).slice(1))];
    if (key === 'Sub') return [...String(child).matchAll(/\$\{([\w:]+)\}/g)].map(([, name = '']) => name);
    return references(child);
  });
}

describe('the template for Lambda', () => {
  it('is valid, and refers only to existing resources', () => {
    expect(document.errors).toEqual([]);
    expect(document.warnings).toEqual([]);
    const { Parameters, Resources, Conditions } = template;
    const defined = [Parameters, Resources, Conditions].flatMap(Object.keys).concat('ApiUrl');
    const referenced = references(template).filter((name) => !name.startsWith('AWS::'));
    expect(referenced.length).toBeGreaterThan(10);
    expect(referenced.filter((name) => !defined.includes(name))).toEqual([]);
  });

  it.each(FUNCTIONS)('has a handler of the %s in the source that the build packages', (name) => {
    const { CodeUri, Handler = template.Globals.Function.Handler } = properties(name);
    const folder = path.basename(CodeUri);
    expect(path.resolve(FOLDER, CodeUri)).toBe(path.join(__dirname, '../../../dist/lambda', folder));
    const source = path.join(__dirname, '../../../src/lambda', `${folder}.ts`);
    expect(existsSync(source)).toBe(true);
    const [file, exportName] = Handler.split('.');
    expect(file).toBe('index');
    expect(readFileSync(source, 'utf8')).toMatch(new RegExp(`^export .*\\b${exportName}\\b`, 'm'));
  });

  it.each(FUNCTIONS)('gives the %s an environment that Parley accepts', (name) => {
    const config = readConfig(environmentOf(name, MINIMAL_DEPLOYMENT));
    expect(config.temporal.encryption).toBeUndefined();
    expect(config.channels.byName.slack ?? config.channels.byName.email).toBeUndefined();
    expect(config.exports ?? config.tracing).toBeUndefined();
  });

  it.each(FUNCTIONS)('can turn on every feature of Parley for the %s', (name) => {
    const environment = environmentOf(name, FULL_DEPLOYMENT);
    expect(environment).toMatchObject(OPTIONAL_FEATURES.secrets);
    const { temporal, channels, exports, tracing, publicUrl } = readConfig(environment);
    for (const setting of [
      temporal.encryption,
      channels.byName.slack,
      channels.byName.email,
      exports,
      tracing,
      publicUrl,
    ])
      expect(setting).toBeDefined();
    expect(channels.people).toHaveLength(1);
  });

  it('documents each parameter that turns a feature on, and what the secret needs for it', () => {
    const guide = readFileSync(path.join(FOLDER, 'README.md'), 'utf8');
    for (const name of [...Object.keys(OPTIONAL_FEATURES.parameters), ...Object.keys(OPTIONAL_FEATURES.secrets)])
      expect(guide).toContain(name);
  });

  it('streams if the handler does, and ends a stream before the function', () => {
    const { Handler, FunctionUrlConfig, Timeout } = properties('Api');
    expect([Handler, FunctionUrlConfig?.InvokeMode]).toEqual(['index.streaming', 'RESPONSE_STREAM']);
    const [, streamLimit = ''] =
      /maxDurationMs: (50_000)/.exec(readFileSync(path.join(__dirname, '../../../src/lambda/api.ts'), 'utf8')) ?? [];
    expect(Number(streamLimit.replace('_', ''))).toBeLessThan(1_000 * Timeout - 5_000);
  });

  it('contains no secret, and gives a function minimal permissions', () => {
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
