import { httpServerConfig } from '#test/support/mcp/servers';
import type { ListedMcpTool } from '#tools/mcp/list-tools';
import {
  buildMcpCatalog,
  defineMcpTool,
  MAX_DEFINITIONS_LENGTH,
  selectUsableMcpTools,
} from '#tools/mcp/tool-definitions';

const listed = (inputSchema: object, more: Partial<ListedMcpTool> = {}): ListedMcpTool => ({
  name: 'tool',
  description: 'Does it.',
  inputSchema: inputSchema as ListedMcpTool['inputSchema'],
  annotations: {},
  execution: {},
  ...more,
});
const define = (inputSchema: object, more: Partial<ListedMcpTool> = {}) =>
  defineMcpTool('s__tool', listed(inputSchema, more));

const path = { type: 'string', format: 'no-such-format' };

describe('the definition of a tool', () => {
  it("is the server's, without the name of the dialect", () => {
    const schema = { type: 'object', properties: { path }, required: ['path'], additionalProperties: false };
    expect(define({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema })).toEqual({
      name: 's__tool',
      serverToolName: 'tool',
      description: 'Does it.',
      inputSchema: schema,
      runOnce: true,
      destructive: true,
    });
  });

  it('may have unknown formats, without console output', () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    expect(define({ properties: { path } }).inputSchema).toEqual({ type: 'object', properties: { path } });
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it.each([
    ['no type', {}],
    ['null as its type', { type: null }],
  ])('is of an object if the schema has %s', (_what, schema) => {
    expect(define(schema).inputSchema).toEqual({ type: 'object' });
  });

  it.each(['oneOf', 'anyOf', 'allOf'])('has %s in the description, since the model does not support it', (key) => {
    const schema = {
      type: 'object',
      properties: { path },
      [key]: [{ required: ['path'] }],
      additionalProperties: false,
    };
    const { inputSchema, description } = define(schema);
    expect(inputSchema).toEqual({ type: 'object', properties: { path }, required: [] });
    expect(description).toBe(`Does it.\n\nThe input must match this JSON Schema: ${JSON.stringify(schema)}`);
  });

  it('omits a property whose name the model does not support', () => {
    const schema = { type: 'object', properties: { $filter: path, path }, required: ['$filter', 'path'] };
    const { inputSchema, description } = define(schema);
    expect(inputSchema).toEqual({ type: 'object', properties: { path }, required: ['path'] });
    expect(description).toContain('$filter');
  });

  it.each([
    ['an unknown type', { properties: { a: { type: 'any' } } }],
    ['a tuple of an older draft', { properties: { a: { type: 'array', items: [path] } } }],
    ['an undefined reference', { properties: { a: { $ref: '#/$defs/none' } } }],
    ['a list for its properties', { properties: [] }],
    [
      'too many levels',
      Array(100)
        .fill(0)
        .reduce((inner) => ({ properties: { a: inner } }), {}),
    ],
  ])('accepts any object if the schema has %s', (_what, schema) => {
    const { inputSchema, description } = define(schema);
    expect(inputSchema).toEqual({ type: 'object' });
    expect(description).toContain('The input must match this JSON Schema: ');
  });

  it('truncates a long description, and generates a missing one', () => {
    const { description } = define({}, { description: 'x'.repeat(10_000) });
    expect(description).toBe(`${'x'.repeat(4_000)}… [6000 more characters]`);
    expect(define({}, { description: undefined }).description).toBe('The tool tool.');
    expect(define({}, { description: 'half \ud83d' }).description).toBe('half \ufffd');
  });

  it.each([
    [{ readOnlyHint: true }, false],
    [{ idempotentHint: true }, false],
    [{ readOnlyHint: false, idempotentHint: false }, true],
    [{ destructiveHint: false }, true],
    [{ readOnlyHint: 'yes' }, true],
  ])('with the hints %j must run at most once: %s', (annotations, runOnce) => {
    expect(define({}, { annotations }).runOnce).toBe(runOnce);
  });

  it.each([
    [{}, true],
    [{ destructiveHint: true }, true],
    [{ destructiveHint: false }, false],
    [{ readOnlyHint: true }, false],
    [{ destructiveHint: 'no' }, true],
  ])('with the hints %j is destructive: %s', (annotations, destructive) => {
    expect(define({}, { annotations }).destructive).toBe(destructive);
  });
});

describe('the offered tools', () => {
  const serverTools = (server: string, count: number, length: number) => ({
    server,
    tools: Array.from({ length: count }, (_none, index) =>
      define({}, { description: 'x'.repeat(length), name: `t${index}` }),
    ),
  });

  it('fit the limit, and say what was omitted', () => {
    const catalog = buildMcpCatalog([
      serverTools('small', 2, 10),
      serverTools('big', 300, 3_000),
      { server: 'down', reason: 'it ended' },
    ]);
    expect(JSON.stringify(catalog.tools).length).toBeLessThan(MAX_DEFINITIONS_LENGTH + 1_000);
    expect(catalog.tools.length).toBeGreaterThan(60);
    const omitted = 302 - catalog.tools.length;
    expect(catalog.unreachable).toEqual([
      {
        server: 'big',
        reason: `${omitted} of its 300 tools are omitted, because all tools together are limited to 200 KB; select the tools you need in the agent file`,
      },
      { server: 'down', reason: 'it ended' },
    ]);
  });

  it('exclude tools that must run as a task', () => {
    const tools = [listed({}, { name: 'plain' }), listed({}, { name: 'task', execution: { taskSupport: 'required' } })];
    expect([...selectUsableMcpTools('s', httpServerConfig('http://127.0.0.1:1/'), tools).keys()]).toEqual(['s__plain']);
  });
});
