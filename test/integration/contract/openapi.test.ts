import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { buildOpenApiDocument } from '#contract/openapi/document';
import type { Operation } from '#contract/operations/operation';
import { OPERATIONS, PATH_PARAMETERS } from '#contract/operations/table';
import { PROBLEMS, Problem, type ProblemCode } from '#contract/problem';

type Json = Record<string, unknown>;
interface Described {
  operationId: string;
  security: Json[];
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json; example?: unknown }> };
  responses: Record<string, { description: string; headers: Json; content?: Record<string, Json> }>;
}

const document = JSON.parse(JSON.stringify(buildOpenApiDocument('https://parley.test'))) as {
  paths: Record<string, Record<string, Described>>;
  servers: Json[];
  components: { securitySchemes: Json };
};
const operations = Object.entries<Operation>(OPERATIONS);
const describedAs = ({ path: at, method }: Operation) => document.paths[at]?.[method] as Described;

/** Every value anywhere in it, with where it stands. */
function* walk(value: unknown, at = '#'): Generator<[string, unknown]> {
  yield [at, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) yield* walk(part, `${at}/${name}`);
}

function resolve(ref: string): unknown {
  const names = ref
    .slice(2)
    .split('/')
    .map((name) => decodeURIComponent(name).replace(/~1/g, '/').replace(/~0/g, '~'));
  return names.reduce<unknown>((value, name) => (value as Json | undefined)?.[name], document);
}

/** The events of a stream that is written out. */
function eventsOf(text: string): object[] {
  expect(text).toMatch(/\n\n$/);
  const frames = text.trimEnd().split('\n\n');
  return frames.map((frame) => {
    const fields = Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/s, 2)));
    const id = fields.id === undefined ? {} : { id: Number(fields.id) };
    return { event: fields.event, ...id, data: JSON.parse(fields.data ?? '') };
  });
}

describe('the examples of the contract', () => {
  const bodies = operations.flatMap(([id, { body }]) => (body ? [[id, body] as const] : []));
  it.each(bodies)('send what %s takes', (_id, { schema, example }) => {
    expect(schema.safeParse(example).error).toBeUndefined();
  });

  const replies = operations.flatMap(([id, operation]) =>
    Object.entries(operation.replies).flatMap(([status, reply]) =>
      reply.example === undefined ? [] : [[`${id} ${status}`, reply] as const],
    ),
  );
  it.each(replies)('show what %s gives', (_id, { schema, example, isStream }) => {
    const shown = isStream ? eventsOf(example as string) : [example];
    expect(shown.length).toBeGreaterThan(0);
    for (const one of shown) expect(schema?.safeParse(one).error).toBeUndefined();
  });

  it('are there for every body, and for every operation that gives one but the export', () => {
    const without = operations.filter(([, operation]) => {
      const [first] = Object.values(operation.replies);
      const all = Object.values(operation.replies).filter(({ schema }) => schema);
      return first && all.length > 0 && all.every(({ example }) => example === undefined);
    });
    expect(without.map(([id]) => id)).toEqual(['exportConversation']);
    for (const [, { example }] of bodies) expect(example).toBeDefined();
  });
});

describe('the OpenAPI document', () => {
  it('has every operation once, and no other', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(ids.sort()).toEqual(Object.keys(OPERATIONS).sort());
    expect(document.servers).toEqual([{ url: 'https://parley.test' }]);
  });

  it.each(operations)('says of %s what may go wrong, with the status it has', (_id, operation) => {
    const { responses } = describedAs(operation);
    const listed: ProblemCode[] = [...operation.problems, 'internal', 'forbidden'];
    if (operation.allowed !== 'anybody') listed.push('unauthenticated');
    if (operation.path.startsWith('/v1')) listed.push('rate_limited', 'temporal_unavailable');
    if (operation.body) listed.push('invalid_json', 'too_large', 'unsupported_media_type');
    for (const code of listed) {
      const response = responses[PROBLEMS[code][0]];
      expect(response?.description).toContain(`\`${code}\``);
      expect(Object.keys(response?.content ?? {})).toEqual(['application/problem+json']);
    }
    if (operation.path.startsWith('/v1')) expect(responses[429]?.headers).toHaveProperty('Retry-After');
  });

  it('shows problems as they are', () => {
    for (const [at, value] of walk(document)) {
      if (!at.includes('problem+json/example') || !at.endsWith('/example')) continue;
      const { code, status, title } = Problem.parse(value);
      expect([status, title]).toEqual(PROBLEMS[code as ProblemCode]);
    }
  });

  it.each(operations)('says who may call %s', (_id, operation) => {
    const { security, responses } = describedAs(operation);
    const schemes = security.flatMap((one) => Object.keys(one));
    if (operation.allowed === 'anybody') expect(security).toEqual([]);
    else expect(schemes).toEqual(['key', 'session', ...(operation.orSigned ? ['signature'] : [])]);
    for (const scheme of schemes) expect(document.components.securitySchemes).toHaveProperty(scheme);
    expect(401 in responses).toBe(operation.allowed !== 'anybody');
  });

  it.each(operations)('describes all that %s is sent', (_id, operation) => {
    const { parameters, requestBody } = describedAs(operation);
    const named = (where: string) => parameters.filter((one) => one.in === where).map(({ name }) => name);
    const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(named('path')).toEqual(inPath);
    for (const name of inPath) expect(PATH_PARAMETERS).toHaveProperty(name ?? '');
    expect(named('query')).toEqual(Object.keys(operation.query?.shape ?? {}));
    expect(named('header')).toEqual([
      ...(operation.isIdempotent ? ['Idempotency-Key'] : []),
      ...(operation.takesChannel ? ['X-Parley-Channel'] : []),
      ...(operation.isResumable ? ['Last-Event-ID'] : []),
    ]);
    expect(parameters.filter(({ required }) => required).map(({ name }) => name)).toEqual(inPath);
    expect(requestBody?.required).toBe(operation.body ? !operation.body.isOptional : undefined);
  });

  it('has no reference that leads nowhere', () => {
    const refs = [...walk(document)].flatMap(([at, value]) => (at.endsWith('/$ref') ? [value as string] : []));
    expect(refs.length).toBeGreaterThan(50);
    for (const ref of new Set(refs)) expect([ref, typeof resolve(ref)]).toEqual([ref, 'object']);
  });

  it('has every reply under the id of the request, and every schema by one dialect', () => {
    for (const [, operation] of operations)
      for (const { headers } of Object.values(describedAs(operation).responses))
        expect(headers).toHaveProperty('X-Request-Id');
    expect([...walk(document)].filter(([at]) => /\/(\$schema|\$id)$/.test(at))).toEqual([]);
  });

  it("passes Redocly's linter with no error and no warning", () => {
    const script = path.join(__dirname, '../../../scripts/lint-openapi.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    expect([status, stderr, stdout]).toEqual([0, '', '0 problems\n']);
  });
});
