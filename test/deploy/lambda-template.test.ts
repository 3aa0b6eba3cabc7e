import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseDocument, type ScalarTag } from 'yaml';
import { readConfig } from '../../src/config';

const FOLDER = path.join(__dirname, '../../deploy/lambda');

/** CloudFormation's short forms, as what they stand for. */
const tags = ['Ref', 'Sub', 'GetAtt', 'If', 'Equals'].flatMap((name) => [
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
type Value = string | { Ref?: string; Sub?: string; If?: unknown };
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
    const hash = '0'.repeat(64);
    const given: Record<string, string> = {
      TEMPORAL_ADDRESS: 'x.tmprl.cloud:7233',
      TEMPORAL_NAMESPACE: 'x',
      PARLEY_SECRET: 'a secret of some length',
      PARLEY_API_KEYS: `me=admin=${hash}`,
      PARLEY_STORAGE: 's3://bucket',
      PARLEY_BUILD_ID: 'b1',
    };
    const variables = Object.entries(variablesOf(name)).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : (given[key] ?? ''),
    ]);
    expect(() => readConfig(Object.fromEntries(variables))).not.toThrow();
    const known = readFileSync(path.join(__dirname, '../../src/config.ts'), 'utf8');
    for (const [key = ''] of variables)
      if (/^(PARLEY|ANTHROPIC)_/.test(key)) expect(known).toMatch(`  ${key}: `);
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
        if (/(SECRET|KEYS?)$/.test(key))
          expect(value).toEqual({ Sub: `{{resolve:secretsmanager:\${Secrets}:SecretString:${key}}}` });
      const actions = properties(name).Policies.flatMap(({ Statement }) =>
        Statement.flatMap(({ Action }) => Action),
      );
      expect(actions.filter((action) => action.includes('*'))).toEqual([]);
      expect(actions.includes('s3:PutObject')).toBe(name === 'Worker');
    }
  });
});
