import fc from 'fast-check';
import { nameMcpTools } from '#tools/mcp/tool-definitions';

const namesFor = (...tools: string[]) => {
  const named = nameMcpTools(
    's',
    tools.map((name) => ({ name })),
  );
  return Object.fromEntries([...named].map(([modelName, { name }]) => [name, modelName]));
};

describe('the names of tools', () => {
  it('combine server and tool, in the characters the model allows', () => {
    expect(namesFor('echo', 'get-sum', 'files/read.all', 'größe')).toEqual({
      echo: 's__echo',
      'get-sum': 's__get-sum',
      'files/read.all': 's__files_read_all',
      größe: 's__gr__e',
    });
  });

  it('get a hash if they would clash, unless they are unchanged', () => {
    expect(namesFor('a.b', 'a b', 'a_b')).toEqual({
      'a.b': expect.stringMatching(/^s__a_b_[0-9a-f]{8}$/),
      'a b': expect.stringMatching(/^s__a_b_[0-9a-f]{8}$/),
      a_b: 's__a_b',
    });
  });

  it('get a hash if they are too long', () => {
    const [first = '', second = ''] = Object.values(namesFor(`${'x'.repeat(200)}1`, `${'x'.repeat(200)}2`));
    expect([first.length, second.length]).toEqual([128, 128]);
    expect(first).not.toBe(second);
  });

  it('belong to the first of two tools with one name', () => {
    const named = nameMcpTools('s', [
      { name: 'a', order: 1 },
      { name: 'b', order: 2 },
      { name: 'a', order: 3 },
    ]);
    expect([...named]).toEqual([
      ['s__a', { name: 'a', order: 1 }],
      ['s__b', { name: 'b', order: 2 }],
    ]);
  });

  it('are each valid for the model, unique, and independent of the order', () => {
    const tool = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.stringMatching(/^[ab._ ]{1,3}$/),
      fc.string({ minLength: 130 }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(tool), (tools) => {
        const names = namesFor(...tools);
        expect(new Set(Object.values(names)).size).toBe(tools.length);
        for (const name of Object.values(names)) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
        expect(namesFor(...tools.toReversed())).toEqual(names);
      }),
    );
  });
});
