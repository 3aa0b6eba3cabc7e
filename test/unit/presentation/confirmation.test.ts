import fc from 'fast-check';
import type { ActionToConfirm } from '#contract/question';
import { contextWithoutArguments, formatArguments } from '#presentation/confirmation';
import { confirmingConversation, pendingQuestion } from '#test/support/core/conversation-fixture';

describe('an approval', () => {
  const confirms: ActionToConfirm = { tool: null, arguments: { table: 'orders' }, digest: '' };

  it('shows its arguments once', () => {
    const question = pendingQuestion(
      confirmingConversation({ details: 'There is **no** undo.', arguments: { table: 'orders' } }),
    );
    expect(question.context).toContain('"orders"');
    expect(contextWithoutArguments(question.context, question.confirms)).toBe('There is **no** undo.');
    expect(contextWithoutArguments('Why not?', undefined)).toBe('Why not?');
    expect(contextWithoutArguments('Parley says so.', { ...confirms, tool: 'dig' })).toBeNull();
    expect(contextWithoutArguments(null, confirms)).toBeNull();
  });

  it.each(['202e', '200b', '2066', '2028', 'feff', '0085', '009b', '3164', '00a0', '034f', '00ad'])(
    'shows invisible characters in arguments: U+%s',
    (code) => {
      const hidden = String.fromCodePoint(Number.parseInt(code, 16));
      expect(formatArguments({ [`${hidden}to`]: `a${hidden} b` })).toBe(`{\n  "\\u${code}to": "a\\u${code} b"\n}`);
    },
  );

  it('shows characters beyond sixteen bits, unpaired surrogates and NUL', () => {
    expect(formatArguments('\u{e0001}')).toBe('"\\udb40\\udc01"');
    const flag = { who: '\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}' };
    expect(JSON.parse(formatArguments(flag))).toEqual(flag);
    expect(formatArguments('\u0000\ud800')).toBe('"\\u0000\\ud800"');
    expect(formatArguments(undefined)).toBe('null');
  });

  it('shows different arguments differently', () => {
    const json = fc.jsonValue({ stringUnit: 'binary' });
    fc.assert(
      fc.property(json, json, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        expect(formatArguments(one)).not.toBe(formatArguments(other));
      }),
    );
  });
});
