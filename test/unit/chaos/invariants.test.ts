import type { Question } from '#contract/question';
import type { ConversationExport } from '#contract/responses';
import type { ConversationLog, RequestAttempt, UserAction } from '../../../chaos/event-log';
import { checkInvariants } from '../../../chaos/invariants/check';
import type { ConversationEvidence } from '../../../chaos/invariants/evidence';
import type { Scenario } from '../../../chaos/scenario/scenario';

const timeMs = (second: number) => Date.UTC(2026, 0, 1, 0, 0, second);
const iso = (second: number) => new Date(timeMs(second)).toISOString();

const scenario: Scenario = {
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
  reopenings: 0,
  isLong: false,
  isWatched: true,
};
const TEXT = 'Which is the first (r1-0-0)?';
const RESULT = JSON.stringify({ answers: { [TEXT]: 'Red' }, comment: 'act1x2' });
const RAN = '{"status":200,"body":{"ran":"r1-0-1"}}';

const attempt = (second: number, status: number | undefined, more: Partial<RequestAttempt> = {}): RequestAttempt => ({
  api: 'http://one',
  sentAt: timeMs(second),
  repliedAt: timeMs(second + 1),
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

function userAction(id: string, attempts: RequestAttempt[], more: Partial<UserAction> = {}): UserAction {
  const body = { answer: 'Red', comment: id };
  const to = { conversation: 'c1', question: 'question-1' };
  return { id, kind: 'answer', ...to, body, hasIdempotencyKey: true, isInvalid: false, attempts, ...more };
}

/** The evidence of a correct run: one question, one confirmed answer, one tool run. */
function createEvidence(exported = question()) {
  const start = userAction('act1x1', [attempt(0, 201)], { kind: 'start', question: undefined });
  const answer = userAction('act1x2', [attempt(4, 200, { question: exported })]);
  const log: ConversationLog = {
    scenario,
    conversation: 'c1',
    actions: [start, answer],
    observations: [],
    subAgentConversations: new Set(),
    watched: { from: 1, numbers: [2, 3, 4] },
    background: [],
    problems: [],
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
      { id: 2, at: iso(2), kind: 'question', question: exported, settledId: 3 },
      { id: 4, at: iso(7), kind: 'status', status: 'completed' },
    ],
    questions: [exported],
    transcript: [
      { role: 'user', content: [{ type: 'text', text: 'Play 1, please.' }] },
      { role: 'assistant', content: uses },
      { role: 'user', content: results },
      { role: 'assistant', content: [{ type: 'text', text: 'That was it.' }] },
    ],
  } as unknown as ConversationExport;
  const givenResults = new Map(results.map(({ tool_use_id: id, content }) => [id, new Set([content])]));
  const evidence: ConversationEvidence = {
    log,
    documents: [document],
    scenarios: new Map([['1', scenario]]),
    modelLogs: new Map([['1', { results: givenResults, problems: [], step: 1, attempts: 1 }]]),
    toolRuns: new Map([['r1-0-1', 1]]),
  };
  const violations = () => checkInvariants(evidence).map(({ detail }) => detail);
  return { evidence, log, answer, document, givenResults, violations };
}

const TIMED_OUT = { status: 'timed_out', outcome: { at: iso(3_602) } } as const;

describe('the invariants', () => {
  it('hold for a correct run', () => {
    expect(createEvidence().violations()).toEqual([]);
  });

  it('fail if an answer was confirmed and another counts', () => {
    const { log, violations } = createEvidence();
    log.actions.push(userAction('act1x3', [attempt(5, 200, { question: question() })]));
    expect(violations()).toEqual([
      expect.stringContaining('200  was the response, but question-1 is answered by act1x2'),
    ]);
  });

  it.each([
    ['before the one that counts was sent', [attempt(1, 202)], true],
    ['after it', [attempt(4, 202)], false],
  ])('fail if an answer was saved %s', (_when, attempts, isLost) => {
    const { log, violations } = createEvidence();
    log.actions.push(userAction('act1x3', attempts));
    expect(violations().length).toBe(isLost ? 1 : 0);
  });

  it('fail if an answer was saved in time and the question timed out', () => {
    const { log, violations } = createEvidence(question(TIMED_OUT));
    log.actions = [...log.actions.slice(0, 1), userAction('act1x3', [attempt(4, 202)])];
    expect(violations()).toContainEqual(
      expect.stringContaining('202  was the response, but question-1 is timed_out by no action'),
    );
  });

  it('fail if a reply changes for the same key', () => {
    const { answer, violations } = createEvidence();
    answer.attempts.push(attempt(9, 409, { code: 'question_answered', question: question() }));
    expect(violations()).toContainEqual(expect.stringContaining('first 200, then 409'));
  });

  it('hold if a repeat got a weaker reply than before', () => {
    const { answer, violations } = createEvidence();
    answer.attempts.push(attempt(9, 202), attempt(11, 200, { question: question() }));
    expect(violations()).toEqual([]);
  });

  it('fail if an answer was accepted although the reply said otherwise', () => {
    const { answer, violations } = createEvidence();
    const detail = "Can't reach Temporal, so nothing was accepted. Retry shortly.";
    answer.attempts = [attempt(4, 503, { code: 'temporal_unavailable', detail })];
    expect(violations()).toEqual([expect.stringContaining('the response said that nothing was accepted, but it was')]);
  });

  it('fail if an invalid answer was accepted, or a valid one rejected as invalid', () => {
    const { log, answer, violations } = createEvidence();
    answer.attempts = [attempt(4, 400, { code: 'invalid_answer' })];
    log.actions.push(userAction('act1x3', [attempt(5, 202)], { isInvalid: true }));
    expect(violations().length).toBe(2);
  });

  it('fail if a rejection shows another outcome than the one that counts', () => {
    const { log, violations } = createEvidence();
    log.actions.push(
      userAction('act1x3', [attempt(6, 409, { code: 'question_timed_out', question: question(TIMED_OUT) })]),
    );
    expect(violations()).toEqual([expect.stringContaining('409 question_timed_out was the response')]);
  });

  it.each([500, 404])('fail if a user gets %s', (status) => {
    const { answer, violations } = createEvidence();
    answer.attempts.unshift(attempt(3, status, { code: 'internal' }));
    expect(violations()).toContainEqual(expect.stringContaining('unexpected response'));
  });

  it('fail if an accepted message was delivered twice, or never', () => {
    const { log, document, violations } = createEvidence();
    const message = { kind: 'message', question: undefined, body: {} } as const;
    log.actions.push(
      userAction('act1x3', [attempt(3, 202)], message),
      userAction('act1x4', [attempt(3, 202)], message),
    );
    const text = 'Listen to act1x3.';
    (document.transcript[0]?.content ?? []).push({ type: 'text', text }, { type: 'text', text });
    expect(violations()).toEqual([
      expect.stringContaining('2 times in the transcript, 0 times in the timeline'),
      expect.stringContaining('0 times in the transcript, 0 times in the timeline'),
    ]);
  });

  it('fail if a run-once tool ran twice', () => {
    const { evidence, violations } = createEvidence();
    evidence.toolRuns.set('r1-0-1', 2);
    expect(violations()).toEqual(['r1-0-1 must not run twice, but ran 2 times']);
  });

  it('fail if the model was told something else', () => {
    const { givenResults, violations } = createEvidence();
    givenResults.get('t1')?.add('{"answers":{}}');
    expect(violations()).toEqual([expect.stringContaining('for t1, the model got')]);
  });

  it('fail if a viewer missed an event, or got it twice', () => {
    const { log, violations } = createEvidence();
    for (const numbers of [
      [2, 4],
      [2, 3, 3, 4],
    ]) {
      log.watched = { from: 1, numbers };
      expect(violations()).toEqual([expect.stringContaining(`got ${numbers.join(' ')} instead of 2 3 4`)]);
    }
  });

  it('fail if a conversation is stuck, or failed without a reason in its scenario', () => {
    const { log, document, violations } = createEvidence();
    log.problems.push('it did not move');
    Object.assign(document.conversation, {
      status: 'failed',
      error: { code: 'model_unavailable', message: 'Gone' },
    });
    expect(violations()).toEqual(['it did not move', 'it failed with model_unavailable: Gone']);
  });
});
