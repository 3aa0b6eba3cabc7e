import fc from 'fast-check';
import type { Confirms, Question } from '#contract/question';
import { isDangerous } from '#core/danger';
import { contextBeside, shownArguments } from '#core/shown-action';
import { confirming, field, open } from '#test/support/core/given';

describe('a confirmation', () => {
  const confirms: Confirms = { tool: null, arguments: { table: 'orders' }, digest: '' };
  const asks = (question: string, tool: string | null = null, more: Partial<Question> = {}) =>
    isDangerous({ confirms: { ...confirms, tool }, context: null, fields: [field({ question })], ...more });

  it.each([
    'Delete the shed?',
    'Drop the table orders?',
    'Deploy to production?',
    'DROP it?',
    'Refund 20 €?',
    'Run this SQL?',
    'Shut down the cluster?',
    'Mail all customers?',
  ])('looks dangerous: %s', (text) => {
    expect(asks(text)).toBe(true);
  });

  it.each([
    'Book the room?',
    'Print the products list?',
    'Send the enforcement notice?',
    'Put the payload into the dropdown?',
    'Sort the WIP board?',
  ])('does not look dangerous by chance: %s', (text) => {
    expect(asks(text)).toBe(false);
  });

  it('looks dangerous wherever a tool runs on a “yes”, and a plain question never', () => {
    expect(asks('Book the room?', 'http_request')).toBe(true);
    expect(isDangerous({ context: null, fields: [field({ question: 'Delete which?' })] })).toBe(false);
  });

  it('looks dangerous by what it is about and with what, too', () => {
    expect(asks('Go on?', null, { context: 'This will **delete** the backups.' })).toBe(true);
    expect(asks('Go on?', null, { confirms: { ...confirms, arguments: { mode: 'drop_all' } } })).toBe(true);
  });

  it('says once what its arguments are', () => {
    const question = open(confirming({ details: 'There is **no** undo.', arguments: { table: 'orders' } }));
    expect(question.context).toContain('"orders"');
    expect(contextBeside(question.context, question.confirms)).toBe('There is **no** undo.');
    expect(contextBeside('Why not?', undefined)).toBe('Why not?');
    expect(contextBeside('Parley says so.', { ...confirms, tool: 'dig' })).toBeNull();
    expect(contextBeside(null, confirms)).toBeNull();
  });

  it.each(['202e', '200b', '2066', '2028', 'feff', '0085', '009b', '3164', '00a0', '034f', '00ad'])(
    'shows arguments with nothing hidden in them: U+%s',
    (code) => {
      const hidden = String.fromCodePoint(Number.parseInt(code, 16));
      expect(shownArguments({ [`${hidden}to`]: `a${hidden} b` })).toBe(
        `{\n  "\\u${code}to": "a\\u${code} b"\n}`,
      );
    },
  );

  it('shows what is beyond sixteen bits, what is no character and what is nothing', () => {
    expect(shownArguments('\u{e0001}')).toBe('"\\udb40\\udc01"');
    const flag = { who: '\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}' };
    expect(JSON.parse(shownArguments(flag))).toEqual(flag);
    expect(shownArguments('\u0000\ud800')).toBe('"\\u0000\\ud800"');
    expect(shownArguments(undefined)).toBe('null');
  });

  it('shows arguments that are told apart by whatever differs', () => {
    const json = fc.jsonValue({ stringUnit: 'binary' });
    fc.assert(
      fc.property(json, json, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        expect(shownArguments(one)).not.toBe(shownArguments(other));
      }),
    );
  });
});
