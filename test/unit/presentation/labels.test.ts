import type { Question } from '#contract/question';
import {
  addChannelLabels,
  describeChannel,
  describeDestination,
  describeNotice,
  describeOutcome,
  describeTimeoutPolicy,
  describeUsage,
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
  ])('is written for people: %j', (value, text) => {
    expect(formatAnswerValue(value)).toBe(text);
  });
});

describe('usage', () => {
  const used = { inputTokens: 11_000, outputTokens: 747, cachedTokens: 0, modelCalls: 1 };
  it.each([
    [used, ['1 model call', '11,747 tokens']],
    [
      { ...used, modelCalls: 2, cachedTokens: 4_180, cost: 0.02304 },
      ['2 model calls', '11,747 tokens (38% cached)', '$0.023'],
    ],
    [{ ...used, cost: 0 }, ['1 model call', '11,747 tokens', '$0.00']],
    [{ ...used, cost: 12.3456 }, ['1 model call', '11,747 tokens', '$12.35']],
    [{ ...used, cost: 0.000003 }, ['1 model call', '11,747 tokens', '$0.000003']],
  ])('is written for people: %j', (usage, parts) => {
    expect(describeUsage(usage)).toEqual(parts);
  });
});

describe('a destination', () => {
  it.each([
    ['slack:#ops', 'Slack #ops'],
    ['email:ops@example.com', 'Email ops@example.com'],
    ['webhook', 'Webhook'],
    ['pigeon:coop', 'Pigeon coop'],
  ])('is written for people: %s', (destination, text) => {
    expect(describeDestination(destination)).toBe(text);
  });
});

it('is named by the label of its channel once that is known', () => {
  expect(describeChannel('ms-teams')).toBe('via Ms-teams');
  addChannelLabels({ 'ms-teams': 'Teams' });
  expect(describeChannel('ms-teams')).toBe('via Teams');
  expect(describeDestination('ms-teams:ops')).toBe('Teams ops');
});

describe('an outcome', () => {
  const at = new Date(START_TIME).toISOString();
  it.each<[Question['status'], Question['outcome'], string]>([
    ['answered', { at, by: 'ann', via: 'web' }, 'Answered by ann on the web'],
    ['answered', { at, via: 'pigeon' }, 'Answered via Pigeon'],
    ['declined', { at, by: 'ann' }, 'Skipped by ann'],
    ['timed_out', { at, via: 'timer' }, 'No answer in time'],
    ['timed_out', { at, defaulted: true }, 'No answer in time; default used'],
    ['cancelled', { at, by: 'ann' }, 'Closed: conversation cancelled by ann'],
    ['cancelled', { at, via: 'temporal' }, 'Closed: conversation ended'],
    ['pending', null, 'Waiting for an answer'],
  ])('says how it came about: %s %j', (status, outcome, text) => {
    expect(describeOutcome({ status, outcome })).toBe(text);
  });

  it('covers every channel', () => {
    for (const via of ['web', 'http', 'terminal', 'temporal']) expect(describeChannel(via)).not.toMatch(/^by /);
    expect(describeChannel(undefined)).toBe('');
  });
});

describe('a deadline', () => {
  it.each([
    [[testField({ default: 'Red' })], 'After that, the agent uses “Red”.'],
    [[testField({ default: false })], 'After that, the agent uses “No”.'],
    [[testField({ default: 'Red'.repeat(30) })], 'After that, the agent uses the default.'],
    [[testField({ default: 'Red' }), testField({ default: 'Blue' })], 'After that, the agent uses the defaults.'],
  ])('says which default is used, if one short one is: %#', (fields, text) => {
    expect(describeTimeoutPolicy({ onTimeout: 'default', fields })).toBe(text);
  });
});

describe('a notice', () => {
  it.each([
    ['model', 'Tried once more.', 'Tried once more.'],
    ['slack:#ops', 'question-1: asked', 'Notified: Slack #ops'],
    ['log', 'question-1: reminder 1 of 2', 'Log: reminder 1 of 2'],
    ['webhook', 'question-2: asked: could not be sent: gone', 'Webhook: asked: could not be sent: gone'],
    ['delegate', 'scout works on a task in c-1', 'scout works on a task in c-1'],
  ])('says who was notified, or how it failed: %s', (channel, what, text) => {
    expect(describeNotice({ channel, what })).toBe(text);
  });

  it('says who created or revoked an answer link', () => {
    const notice = { channel: 'link', what: 'question-1: link created for ann', by: 'boss', via: 'web' };
    expect(describeNotice(notice)).toBe('Answer link created for ann by boss on the web');
  });
});

describe('the summary line of a question', () => {
  it('is its first field, and how many more', () => {
    expect(questionSummaryLine({ fields: [testField()] })).toBe('Which colour?');
    expect(questionSummaryLine({ fields: [testField(), testField(), testField()] })).toBe('Which colour? (and 2 more)');
    expect(questionSummaryLine({ fields: [] })).toBe('A question');
    expect(formatOrigin(['captain', 'researcher'])).toBe('captain › researcher');
  });
});
