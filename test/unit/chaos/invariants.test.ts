import type { Question } from '#contract/question';
import type { ConversationExport } from '#contract/responses';
import type { ConversationLog, RequestAttempt, UserAction } from '../../../chaos/event-log';
import { checkInvariants } from '../../../chaos/invariants/check';
import type { ConversationEvidence } from '../../../chaos/invariants/evidence';
import type { Scenario } from '../../../chaos/scenario/scenario';

const at = (second: number) => Date.UTC(2026, 0, 1, 0, 0, second);
const iso = (second: number) => new Date(at(second)).toISOString();

const play: Scenario = {
  name: '1',
  agent: 'plain',
  steps: [
    {
      calls: [
        { tool: 'ask', fields: ['choice'], timeout: '1h', onTimeout: 'continue', remind: false },
        { tool: 'request', method: 'POST', takesMs: 0, isHungUpOn: false },
      ],
    },
    { calls: [] },
  ],
  takeUps: 0,
  isLong: false,
  isWatched: true,
};
const TEXT = 'Which is the first (r1-0-0)?';
const RESULT = JSON.stringify({ answers: { [TEXT]: 'Red' }, comment: 'act1x2' });
const RAN = '{"status":200,"body":{"ran":"r1-0-1"}}';

const tried = (second: number, status: number | undefined, more: Partial<RequestAttempt> = {}): RequestAttempt => ({
  api: 'http://one',
  sentAt: at(second),
  repliedAt: at(second + 1),
  status,
  ...more,
});

function question(more: Partial<Question> = {}): Question {
  const options = [{ label: 'Red' }, { label: 'Green' }];
  return {
    id: 'question-1',
    conversationId: 'c1',
    agent: 'plain',
    origin: ['plain'],
    status: 'answered',
    context: null,
    fields: [
      {
        key: 'q1',
        header: '',
        question: TEXT,
        options,
        multiSelect: false,
        allowOther: false,
        required: true,
      },
    ],
    askedAt: iso(2),
    expiresAt: iso(3_602),
    onTimeout: 'continue',
    notices: [],
    outcome: { answers: { q1: 'Red' }, comment: 'act1x2', via: 'http', at: iso(5) },
    ...more,
  };
}

function act(id: string, tries: RequestAttempt[], more: Partial<UserAction> = {}): UserAction {
  const body = { answer: 'Red', comment: id };
  const to = { conversation: 'c1', question: 'question-1' };
  return { id, deed: 'answer', ...to, body, isKeyed: true, isWrong: false, tries, ...more };
}

/** A conversation in which all is well: one asked, one answered and was told so, one tool ran. */
function given(asked = question()) {
  const start = act('act1x1', [tried(0, 201)], { deed: 'start', question: undefined });
  const answer = act('act1x2', [tried(4, 200, { question: asked })]);
  const story: ConversationLog = {
    play,
    conversation: 'c1',
    acts: [start, answer],
    sightings: [],
    helpers: new Set(),
    watched: { from: 1, numbers: [2, 3, 4] },
    loose: [],
    troubles: [],
    waitingSince: 0,
  };
  const uses = [
    { type: 'tool_use', id: 't1', name: 'ask_user_question', input: {} },
    { type: 'tool_use', id: 't2', name: 'http_request', input: { url: 'http://out/run/r1-0-1' } },
  ];
  const results = [
    { type: 'tool_result', tool_use_id: 't1', content: RESULT },
    { type: 'tool_result', tool_use_id: 't2', content: RAN },
  ];
  const document = {
    conversation: { id: 'c1', agent: 'plain', status: 'completed', error: null },
    timeline: [
      { id: 1, at: iso(0), kind: 'message', role: 'user', text: 'Play 1, please.' },
      { id: 2, at: iso(2), kind: 'question', question: asked, settledId: 3 },
      { id: 4, at: iso(7), kind: 'status', status: 'completed' },
    ],
    questions: [asked],
    transcript: [
      { role: 'user', content: [{ type: 'text', text: 'Play 1, please.' }] },
      { role: 'assistant', content: uses },
      { role: 'user', content: results },
      { role: 'assistant', content: [{ type: 'text', text: 'That was it.' }] },
    ],
  } as unknown as ConversationExport;
  const told = new Map(results.map(({ tool_use_id: id, content }) => [id, new Set([content])]));
  const evidence: ConversationEvidence = {
    story,
    documents: [document],
    plays: new Map([['1', play]]),
    heard: new Map([['1', { results: told, faults: [], step: 1, attempts: 1 }]]),
    runs: new Map([['r1-0-1', 1]]),
  };
  const findings = () => checkInvariants(evidence).map(({ what }) => what);
  return { evidence, story, answer, document, told, findings };
}

const CUT = { status: 'timed_out', outcome: { at: iso(3_602) } } as const;

describe('what must hold in the end', () => {
  it('holds where all is well', () => {
    expect(given().findings()).toEqual([]);
  });

  it('does not where an answer was confirmed and another stands', () => {
    const { story, findings } = given();
    story.acts.push(act('act1x3', [tried(5, 200, { question: question() })]));
    expect(findings()).toEqual([expect.stringContaining('200  was said, but question-1 is answered by act1x2')]);
  });

  it.each([
    ['before the one that stands was sent', [tried(1, 202)], true],
    ['after it', [tried(4, 202)], false],
  ])('does not where an answer was kept %s', (_when, tries, isLost) => {
    const { story, findings } = given();
    story.acts.push(act('act1x3', tries));
    expect(findings().length).toBe(isLost ? 1 : 0);
  });

  it('does not where an answer was kept in time, and the deadline stands', () => {
    const { story, findings } = given(question(CUT));
    story.acts = [...story.acts.slice(0, 1), act('act1x3', [tried(4, 202)])];
    expect(findings()).toContainEqual(expect.stringContaining('202  was said, but question-1 is timed_out by nobody'));
  });

  it('does not where a reply changes for the same key', () => {
    const { answer, findings } = given();
    answer.tries.push(tried(9, 409, { code: 'question_answered', question: question() }));
    expect(findings()).toContainEqual(expect.stringContaining('first 200 and then 409'));
  });

  it('holds where a repeat was told less than before', () => {
    const { answer, findings } = given();
    answer.tries.push(tried(9, 202), tried(11, 200, { question: question() }));
    expect(findings()).toEqual([]);
  });

  it('does not where nothing was accepted, as was said, and it was', () => {
    const { answer, findings } = given();
    const detail = 'Temporal cannot be reached, so nothing was accepted. Try again in a moment.';
    answer.tries = [tried(4, 503, { code: 'temporal_unavailable', detail })];
    expect(findings()).toEqual([expect.stringContaining('it was said that nothing was accepted, but it was')]);
  });

  it('does not where a wrong answer was taken, or a right one refused as wrong', () => {
    const { story, answer, findings } = given();
    answer.tries = [tried(4, 400, { code: 'invalid_answer' })];
    story.acts.push(act('act1x3', [tried(5, 202)], { isWrong: true }));
    expect(findings().length).toBe(2);
  });

  it('does not where a refusal shows another outcome than the one that stands', () => {
    const { story, findings } = given();
    story.acts.push(act('act1x3', [tried(6, 409, { code: 'question_timed_out', question: question(CUT) })]));
    expect(findings()).toEqual([expect.stringContaining('409 question_timed_out was said')]);
  });

  it.each([500, 404])('does not where somebody is told %s', (status) => {
    const { answer, findings } = given();
    answer.tries.unshift(tried(3, status, { code: 'internal' }));
    expect(findings()).toContainEqual(expect.stringContaining('is no reply to that'));
  });

  it('does not where a message was taken and heard twice, or never', () => {
    const { story, document, findings } = given();
    const message = { deed: 'message', question: undefined, body: {} } as const;
    story.acts.push(act('act1x3', [tried(3, 202)], message), act('act1x4', [tried(3, 202)], message));
    const text = 'Listen to act1x3.';
    (document.transcript[0]?.content ?? []).push({ type: 'text', text }, { type: 'text', text });
    expect(findings()).toEqual([
      expect.stringContaining('heard 2 times, shown 0 times'),
      expect.stringContaining('heard 0 times, shown 0 times'),
    ]);
  });

  it('does not where a tool ran twice that must not', () => {
    const { evidence, findings } = given();
    evidence.runs.set('r1-0-1', 2);
    expect(findings()).toEqual(['r1-0-1 must not run twice, and ran 2 times']);
  });

  it('does not where the model was told something else', () => {
    const { told, findings } = given();
    told.get('t1')?.add('{"answers":{}}');
    expect(findings()).toEqual([expect.stringContaining('of t1 the model was told')]);
  });

  it('does not where who watched missed something, or saw it twice', () => {
    const { story, findings } = given();
    for (const numbers of [
      [2, 4],
      [2, 3, 3, 4],
    ]) {
      story.watched = { from: 1, numbers };
      expect(findings()).toEqual([expect.stringContaining(`was sent ${numbers.join(' ')} in place of 2 3 4`)]);
    }
  });

  it('does not where it is stuck, or failed for no reason of its play', () => {
    const { story, document, findings } = given();
    story.troubles.push('it did not move');
    Object.assign(document.conversation, {
      status: 'failed',
      error: { code: 'model_unavailable', message: 'Gone' },
    });
    expect(findings()).toEqual(['it did not move', 'it failed with model_unavailable: Gone']);
  });
});
