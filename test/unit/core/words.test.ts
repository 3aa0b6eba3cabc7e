import type { Question } from '#contract/question';
import { channelText, headline, lineageText, outcomeText, placeText, valueText } from '#core/words';
import { field, NOW } from '#test/support/core/given';

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
