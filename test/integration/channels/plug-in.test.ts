import { loadAgents } from '#agents/load-agents';
import { findAgentWarnings } from '#agents/validation/warnings';
import type { SenderDeps } from '#channels/channel';
import { readConfig } from '#channels/read-config';
import { CHANNELS } from '#channels/registry';
import { findTestDestinationIssue, listTestDestinations, testDestinations } from '#channels/test-send';
import { checkServerStatus } from '#cli/commands/doctor';
import type { Agent } from '#contract/agent';
import type { Problem } from '#contract/problem';
import type { ServerStatus } from '#contract/responses';
import { describeDestination, describeOutcome } from '#presentation/labels';
import { createMetrics } from '#telemetry/telemetry';
import { agentFileLines, createAgentsFolder, knownTools } from '#test/support/agents/agents-folder';
import { eventually } from '#test/support/eventually';
import { createPagerChannel, type PagerTraffic } from '#test/support/pager-channel';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

const traffic: PagerTraffic = { pages: [], updates: [] };
/** All that is needed to add it. */
const channels = [...CHANNELS, createPagerChannel(traffic)];

describe('a channel defined by one object and one line of the registry', () => {
  let p: TestParley;
  beforeAll(async () => {
    const env = { PAGER_TOKEN: 'secret', PAGER_LINE: '1' };
    const config = readConfig(env, channels);
    p = await startParley({
      channels,
      env,
      metrics: createMetrics(config),
      frontMatter: 'questions: { notify: ["pager:4711"] }',
      script: (request) =>
        lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which colour?', 'Red', 'Blue'),
    });
  });
  afterAll(() => p.stop());

  const keyIn = async (body: object, token = 'secret') => {
    const headers = { authorization: token, 'content-type': 'application/json' };
    const response = await fetch(`${p.url}/pager/answers`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  };

  it('sends the question, accepts the answer, and shows the outcome', async () => {
    const conversationId = await p.startConversation();
    const { id: questionId } = await p.waitForQuestion(conversationId);
    await eventually(() => expect(traffic.pages).toHaveLength(1));
    expect(traffic.pages[0]).toMatchObject({ target: '4711', question: { id: questionId } });

    const answer = { person: 'maria', conversationId, questionId, answer: 'Red' };
    expect(await keyIn(answer, 'guess')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(await keyIn({ ...answer, answer: 'Green' })).toEqual({ status: 200, body: { status: 'invalid' } });
    expect(await keyIn(answer)).toEqual({ status: 200, body: { status: 'accepted' } });
    expect(await keyIn({ ...answer, person: 'joe' })).toEqual({ status: 200, body: { status: 'alreadyResolved' } });

    await p.waitForStatus(conversationId, 'completed');
    await eventually(() => expect(traffic.updates).toHaveLength(1));
    const [{ question, target, ref } = { question: undefined }] = traffic.updates;
    expect([target, ref]).toEqual(['4711', { page: '1' }]);
    expect(question && describeOutcome(question)).toBe('Answered by maria via Night Pager');
    expect(describeDestination('pager:4711')).toBe('Night Pager 4711');

    const { body: metrics } = await p.call<string>('GET', '/metrics');
    expect(metrics).toMatch(/parley_answers_total\{channel="pager",kind="answer",reply="200"\} 1/);
    expect(metrics).toMatch(/parley_questions_settled_total\{.*channel="pager",outcome="answered"/);
  });

  it('is the only sender to its destinations, and owns its routes', async () => {
    expect((await p.call('GET', '/pager/answers')).status).toBe(405);
    expect((await p.call<Problem>('GET', '/pager/other', undefined, { accept: 'text/html' })).body.code).toBe(
      'not_found',
    );
  });

  it('validates its destinations when a conversation starts, with all other errors', async () => {
    const question = { notify: ['pager:x', 'slack'], timeout: 'soon' };
    const { status, body } = await p.call<Problem>('POST', '/v1/conversations', { message: 'Hi', question });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors?.map(({ path }) => path)).toEqual([
      'question.timeout',
      'question.notify.0',
      'question.notify.1',
    ]);
    expect(body.detail).toContain('"pager:x" needs the number of a pager as 4711 after "pager:"');
  });

  it('appears in `parley doctor`', async () => {
    const { body: status } = await p.call<ServerStatus>('GET', '/v1/status');
    const settings = { url: p.url, urlSource: 'default', key: undefined } as const;
    const checks = checkServerStatus(status, settings, status.version);
    expect(checks.find(({ name }) => name === 'Channels')?.said).toBe(
      'Inbox, Webhook, Night Pager (not set up: Slack, Email)',
    );
  });
});

describe('the settings of an added channel', () => {
  it('are read from the environment, and their errors reported with all others', () => {
    expect(readConfig({ PAGER_TOKEN: 'secret', PAGER_LINE: '1' }, channels).channels.byName.pager).toEqual({
      token: 'secret',
    });
    expect(readConfig({}, channels).channels.byName).not.toHaveProperty('pager');
    expect(() => readConfig({ PAGER_TOKEN: 'x', PORT: 'y', SLACK_BOT_TOKEN: 'xoxb-1' }, channels)).toThrow(
      /PORT: .*PAGER_TOKEN: must be at least 4 characters\n.*SLACK_SIGNING_SECRET: .*PAGER_LINE: is required with PAGER_TOKEN/s,
    );
  });
});

describe('agent files with an added channel', () => {
  const folder = createAgentsFolder();
  afterAll(() => folder.remove());
  const writeAgent = (destination: string) =>
    folder.write('clerk.md', ...agentFileLines('clerk', `questions: { notify: ["${destination}"] }`));
  const loadClerk = () => loadAgents(folder.path, [...knownTools], channels).get('clerk') as Agent;

  it('may use its destinations, and get errors for invalid ones', () => {
    writeAgent('pager:x');
    expect(loadClerk).toThrow(/clerk\.md:4: questions\.notify\.0: "pager:x" needs the number of a pager as 4711/);
    writeAgent('fax:1');
    expect(loadClerk).toThrow(/use one of: inbox, log, webhook, slack:#channel, .*, pager:number/);
  });

  it('get the warnings that the channel defines', () => {
    writeAgent('pager:4711');
    expect(findAgentWarnings(loadClerk(), { PARLEY_API_KEYS: 'some' }, channels)).toEqual([
      'clerk: a pager shows 80 characters',
      'clerk: PAGER_TOKEN is not set (pager:4711)',
      expect.stringMatching(/^clerk: pager:4711 is notified of questions that maria can answer only if/),
    ]);
  });

  it('define where a test is sent', async () => {
    writeAgent('pager:4711');
    const destinations = listTestDestinations(channels, [loadClerk()]);
    expect(destinations).toEqual(['pager:4711']);
    const sender = createPagerChannel(traffic).createSender({ token: 'secret' }, {} as SenderDeps);
    expect(await testDestinations(channels, [sender], destinations)).toEqual([
      { destination: 'pager:4711', hasPassed: true, message: 'Paged 4711.' },
    ]);
    expect(await testDestinations(channels, [], destinations)).toEqual([
      { destination: 'pager:4711', hasPassed: false, message: 'not set up: set PAGER_TOKEN and PAGER_LINE' },
    ]);
    expect(findTestDestinationIssue(channels, 'pager:x')).toMatch(/needs the number of a pager/);
  });
});
