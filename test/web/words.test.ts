import fc from 'fast-check';
import type { Confirms, Question } from '../../src/contract/question';
import { contextBeside, shownArguments } from '../../src/core/shown-action';
import { isDangerous } from '../../web/question/danger';
import {
  channelText,
  headline,
  lineageText,
  outcomeText,
  placeText,
  valueText,
} from '../../web/question/words';
import { confirming, field, NOW, open } from '../core/given';

describe('a value', () => {
  it.each([
    ['Red', 'Red'],
    [true, 'Yes'],
    [false, 'No'],
    [0, '0'],
    [{ other: 'Teal' }, 'Teal'],
    [['Red', { other: 'Teal' }], 'Red, Teal'],
    [[], 'None'],
    [undefined, ''],
  ])('is written as people write it: %j', (value, text) => {
    expect(valueText(value)).toBe(text);
  });
});

describe('a place where somebody was told', () => {
  it.each([
    ['slack:#ops', 'Slack #ops'],
    ['email:ops@example.com', 'E-mail to ops@example.com'],
    ['webhook', 'Webhook'],
    ['pigeon', 'pigeon'],
  ])('is named as people name it: %s', (destination, text) => {
    expect(placeText(destination)).toBe(text);
  });
});

describe('an outcome', () => {
  const at = new Date(NOW).toISOString();
  it.each<[Question['status'], Question['outcome'], string]>([
    ['answered', { at, by: 'ann', via: 'web' }, 'Answered by ann in the web app'],
    ['answered', { at, via: 'pigeon' }, 'Answered by pigeon'],
    ['declined', { at, by: 'ann' }, 'Declined by ann'],
    ['timed_out', { at, via: 'timer' }, 'Nobody answered in time'],
    ['timed_out', { at, defaulted: true }, 'Nobody answered in time: the default was taken'],
    ['cancelled', { at, by: 'ann' }, 'No longer needed: the conversation was ended by ann'],
    ['pending', null, 'Waiting for an answer'],
  ])('says how it came: %s %j', (status, outcome, text) => {
    expect(outcomeText({ status, outcome })).toBe(text);
  });

  it('names every way there is', () => {
    for (const via of ['web', 'http', 'terminal', 'temporal']) expect(channelText(via)).not.toMatch(/^by /);
    expect(channelText(undefined)).toBe('');
  });
});

describe('a question in a line', () => {
  it('is its first field, and how many more', () => {
    expect(headline({ fields: [field()] })).toBe('Which colour?');
    expect(headline({ fields: [field(), field(), field()] })).toBe('Which colour? (and 2 more)');
    expect(headline({ fields: [] })).toBe('A question');
    expect(lineageText(['captain', 'researcher'])).toBe('captain › researcher');
  });
});

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
    expect(shownArguments('\u{e0001}')).toBe('"\\u{e0001}"');
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
