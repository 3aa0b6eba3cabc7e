import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { buildOpenApiDocument } from '#contract/openapi/document';
import type { Operation } from '#contract/operations/operation';
import { OPERATIONS, PATH_PARAMETERS } from '#contract/operations/table';
import { PROBLEMS, Problem, type ProblemCode } from '#contract/problem';

type Json = Record<string, unknown>;
interface DocumentedOperation {
  operationId: string;
  description: string;
  security: Json[];
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json; example?: unknown }> };
  responses: Record<string, { description: string; headers: Json; content?: Record<string, Json> }>;
}

const document = JSON.parse(JSON.stringify(buildOpenApiDocument('https://parley.test'))) as {
  paths: Record<string, Record<string, DocumentedOperation>>;
  info: { description: string };
  servers: Json[];
  components: { securitySchemes: Json };
};
const operations = Object.entries<Operation>(OPERATIONS);
const documentedOperation = ({ path: pathTemplate, method }: Operation) =>
  document.paths[pathTemplate]?.[method] as DocumentedOperation;

/** Every value in the document, with its pointer. */
function* walk(value: unknown, pointer = '#'): Generator<[string, unknown]> {
  yield [pointer, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) yield* walk(child, `${pointer}/${name}`);
}

function resolve(ref: string): unknown {
  const names = ref
    .slice(2)
    .split('/')
    .map((name) => decodeURIComponent(name).replace(/~1/g, '/').replace(/~0/g, '~'));
  return names.reduce<unknown>((value, name) => (value as Json | undefined)?.[name], document);
}

/** The events of a stream given as text. */
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
  it.each(bodies)('send what %s accepts', (_id, { schema, example }) => {
    expect(schema.safeParse(example).error).toBeUndefined();
  });

  const responseExamples = operations.flatMap(([id, operation]) =>
    Object.entries(operation.responses).flatMap(([status, response]) =>
      response.example === undefined ? [] : [[`${id} ${status}`, response] as const],
    ),
  );
  it.each(responseExamples)('show what %s returns', (_id, { schema, example, isStream }) => {
    const examples = isStream ? eventsOf(example as string) : [example];
    expect(examples.length).toBeGreaterThan(0);
    for (const value of examples) expect(schema?.safeParse(value).error).toBeUndefined();
  });

  it('exist for every body, and for every operation with a result except the export', () => {
    const withoutExample = operations.filter(([, operation]) => {
      const [firstResponse] = Object.values(operation.responses);
      const withSchema = Object.values(operation.responses).filter(({ schema }) => schema);
      return firstResponse && withSchema.length > 0 && withSchema.every(({ example }) => example === undefined);
    });
    expect(withoutExample.map(([id]) => id)).toEqual(['exportConversation']);
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

  it.each(operations)('lists the errors of %s with their statuses', (_id, operation) => {
    const { responses } = documentedOperation(operation);
    const expectedCodes: ProblemCode[] = [...(operation.problems ?? []), 'internal', 'forbidden'];
    if (operation.requiredScopes !== 'anybody') expectedCodes.push('unauthenticated');
    if (operation.path.startsWith('/v1')) expectedCodes.push('rate_limited', 'temporal_unavailable');
    if (operation.requiredScopes !== 'anybody' && operation.method === 'post' && operation.path.startsWith('/v1/conv'))
      expectedCodes.push('outcome_unknown');
    if (operation.body) expectedCodes.push('invalid_json', 'too_large', 'unsupported_media_type');
    for (const code of expectedCodes) {
      const response = responses[PROBLEMS[code][0]];
      expect(response?.description).toContain(`\`${code}\``);
      expect(Object.keys(response?.content ?? {})).toEqual(['application/problem+json']);
    }
    if (operation.path.startsWith('/v1')) expect(responses[429]?.headers).toHaveProperty('Retry-After');
  });

  it('shows problems as they are sent', () => {
    for (const [pointer, value] of walk(document)) {
      if (!pointer.includes('problem+json/example') || !pointer.endsWith('/example')) continue;
      const { code, status, title } = Problem.parse(value);
      expect([status, title]).toEqual(PROBLEMS[code as ProblemCode]);
    }
  });

  it.each(operations)('says who may call %s', (_id, operation) => {
    const { security, responses } = documentedOperation(operation);
    const schemes = security.flatMap((requirement) => Object.keys(requirement));
    if (operation.requiredScopes === 'anybody') expect(security).toEqual([]);
    else expect(schemes).toEqual(['key', 'session', ...(operation.acceptsSignature ? ['signature'] : [])]);
    for (const scheme of schemes) expect(document.components.securitySchemes).toHaveProperty(scheme);
    expect(401 in responses).toBe(operation.requiredScopes !== 'anybody');
  });

  it('states the required scope of a call in words', () => {
    const describe = (operation: Operation) => documentedOperation(operation).description;
    expect(describe(OPERATIONS.answerQuestion)).toMatch(/Requires an API key with the scope `questions:answer`\.$/);
    expect(describe(OPERATIONS.listInbox)).toContain('`conversations:read` or `questions:answer`');
    expect(describe(OPERATIONS.callHook)).toMatch(/, or a signature if the agent sets a secret\.$/);
    expect(describe(OPERATIONS.getHealth)).toBe('No API key required.');
  });

  it.each(Object.entries(PROBLEMS))('lists the code %s in its guide', (code, [status, title]) => {
    expect(document.info.description).toContain(`| ${status} | \`${code}\` | ${title} |`);
  });

  it.each(operations)('describes every parameter of %s', (_id, operation) => {
    const { parameters, requestBody } = documentedOperation(operation);
    const parameterNames = (location: string) =>
      parameters.filter((parameter) => parameter.in === location).map(({ name }) => name);
    const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameterNames('path')).toEqual(inPath);
    for (const name of inPath) expect(PATH_PARAMETERS).toHaveProperty(name ?? '');
    expect(parameterNames('query')).toEqual(Object.keys(operation.query?.shape ?? {}));
    expect(parameterNames('header')).toEqual([
      ...(operation.isIdempotent ? ['Idempotency-Key'] : []),
      ...(operation.acceptsChannelHeader ? ['X-Parley-Channel'] : []),
      ...(operation.isResumable ? ['Last-Event-ID'] : []),
    ]);
    expect(parameters.filter(({ required }) => required).map(({ name }) => name)).toEqual(inPath);
    expect(requestBody?.required).toBe(operation.body ? !operation.body.isOptional : undefined);
  });

  it('has no broken reference', () => {
    const refs = [...walk(document)].flatMap(([pointer, value]) =>
      pointer.endsWith('/$ref') ? [value as string] : [],
    );
    expect(refs.length).toBeGreaterThan(50);
    for (const ref of new Set(refs)) expect([ref, typeof resolve(ref)]).toEqual([ref, 'object']);
  });

  it('has the request id on every response, and one dialect for all schemas', () => {
    for (const [, operation] of operations)
      for (const { headers } of Object.values(documentedOperation(operation).responses))
        expect(headers).toHaveProperty('X-Request-Id');
    expect([...walk(document)].filter(([pointer]) => /\/(\$schema|\$id)$/.test(pointer))).toEqual([]);
  });

  it("passes Redocly's linter without errors and warnings", () => {
    const script = path.join(__dirname, '../../../scripts/lint-openapi.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    expect([status, stderr, stdout]).toEqual([0, '', '0 problems\n']);
  });
});
