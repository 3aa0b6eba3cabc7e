import fc from 'fast-check';
import { nameMcpTools } from '#tools/mcp/tool-definitions';

const names = (...tools: string[]) => {
  const named = nameMcpTools(
    's',
    tools.map((name) => ({ name })),
  );
  return Object.fromEntries([...named].map(([known, { name }]) => [name, known]));
};

describe('the names of tools', () => {
  it('are those of server and tool, in the characters the model may use', () => {
    expect(names('echo', 'get-sum', 'files/read.all', 'größe')).toEqual({
      echo: 's__echo',
      'get-sum': 's__get-sum',
      'files/read.all': 's__files_read_all',
      größe: 's__gr__e',
    });
  });

  it('get a hash where they would clash, unless they are as written', () => {
    expect(names('a.b', 'a b', 'a_b')).toEqual({
      'a.b': expect.stringMatching(/^s__a_b_[0-9a-f]{8}$/),
      'a b': expect.stringMatching(/^s__a_b_[0-9a-f]{8}$/),
      a_b: 's__a_b',
    });
  });

  it('get a hash where they are too long', () => {
    const [one = '', two = ''] = Object.values(names(`${'x'.repeat(200)}1`, `${'x'.repeat(200)}2`));
    expect([one.length, two.length]).toEqual([128, 128]);
    expect(one).not.toBe(two);
  });

  it('take the first of two tools of one name', () => {
    const named = nameMcpTools('s', [
      { name: 'a', at: 1 },
      { name: 'b', at: 2 },
      { name: 'a', at: 3 },
    ]);
    expect([...named]).toEqual([
      ['s__a', { name: 'a', at: 1 }],
      ['s__b', { name: 'b', at: 2 }],
    ]);
  });

  it('are each fit for the model, one for each tool, and the same in any order', () => {
    const tool = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.stringMatching(/^[ab._ ]{1,3}$/),
      fc.string({ minLength: 130 }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(tool), (tools) => {
        const known = names(...tools);
        expect(new Set(Object.values(known)).size).toBe(tools.length);
        for (const name of Object.values(known)) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
        expect(names(...tools.toReversed())).toEqual(known);
      }),
    );
  });
});
