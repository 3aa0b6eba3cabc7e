import type { Question } from '#contract/question';
import {
  describeChannel,
  describeDestination,
  describeOutcome,
  formatAnswerValue,
  formatOrigin,
  questionSummaryLine,
} from '#presentation/labels';
import { START_TIME, testField } from '#test/support/core/conversation-fixture';

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
    expect(formatAnswerValue(value)).toBe(text);
  });
});

describe('a place where somebody was told', () => {
  it.each([
    ['slack:#ops', 'Slack #ops'],
    ['email:ops@example.com', 'E-mail to ops@example.com'],
    ['webhook', 'Webhook'],
    ['pigeon', 'pigeon'],
  ])('is named as people name it: %s', (destination, text) => {
    expect(describeDestination(destination)).toBe(text);
  });
});

describe('an outcome', () => {
  const at = new Date(START_TIME).toISOString();
  it.each<[Question['status'], Question['outcome'], string]>([
    ['answered', { at, by: 'ann', via: 'web' }, 'Answered by ann in the web app'],
    ['answered', { at, via: 'pigeon' }, 'Answered by pigeon'],
    ['declined', { at, by: 'ann' }, 'Declined by ann'],
    ['timed_out', { at, via: 'timer' }, 'Nobody answered in time'],
    ['timed_out', { at, defaulted: true }, 'Nobody answered in time: the default was taken'],
    ['cancelled', { at, by: 'ann' }, 'No longer needed: the conversation was ended by ann'],
    ['pending', null, 'Waiting for an answer'],
  ])('says how it came: %s %j', (status, outcome, text) => {
    expect(describeOutcome({ status, outcome })).toBe(text);
  });

  it('names every way there is', () => {
    for (const via of ['web', 'http', 'terminal', 'temporal']) expect(describeChannel(via)).not.toMatch(/^by /);
    expect(describeChannel(undefined)).toBe('');
  });
});

describe('a question in a line', () => {
  it('is its first field, and how many more', () => {
    expect(questionSummaryLine({ fields: [testField()] })).toBe('Which colour?');
    expect(questionSummaryLine({ fields: [testField(), testField(), testField()] })).toBe('Which colour? (and 2 more)');
    expect(questionSummaryLine({ fields: [] })).toBe('A question');
    expect(formatOrigin(['captain', 'researcher'])).toBe('captain › researcher');
  });
});
