import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { temporal } from '@temporalio/proto';
import { type DevServer, startDevServer } from '#infra/temporal/dev-server/dev-server';
import { findTemporalCli } from '#infra/temporal/toolchain';
import { collectLog } from '#test/support/collect-log';
import { ENCRYPTION_KEY_1 } from '#test/support/parley/encryption-variants';
import { startParley, type TestParley, type TestParleySettings } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import { lastToolResults, replyWithError, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { installTestRuntime } from '#test/support/temporal/runtime';
import { builtInTools } from '#tools/registry';

/** In all private texts, to be searched for in all stored bytes. */
const PLANTED = `zq${randomBytes(9).toString('hex')}`;
const planted = new Set<string>();
const plant = (what: string) => {
  const text = `${PLANTED}-${what}`;
  planted.add(text);
  return text;
};

/** Whether the bytes contain it, in plain text or base64 at any offset. */
function holds(bytes: Uint8Array): boolean {
  const looked = Buffer.from(bytes);
  const encoded = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), Buffer.from(PLANTED)]).toString('base64');
    return text.slice(before === 0 ? 0 : before + 1, -4);
  });
  return [PLANTED, ...encoded].some((text) => looked.includes(text));
}

const { tool } = createRecordingTool();
const scout = 'scout';
const kindOf = (request: { body: { messages: unknown[] } }) =>
  /kind-(\w+)/.exec(JSON.stringify(request.body.messages[0]))?.[1] ?? '';

const question = {
  name: 'ask_user_question',
  input: {
    questions: [
      {
        question: plant('question'),
        options: [{ label: plant('label'), description: plant('description') }, { label: 'B' }],
        allowOther: true,
      },
      { question: 'And?' },
    ],
    context: plant('context'),
  },
};
const script: TestParleySettings['script'] = (request) => {
  const results = lastToolResults(request);
  const kind = kindOf(request);
  const turn = request.body.messages.filter(({ role }) => role === 'assistant').length;
  if (kind === 'failed') return replyWithError(400, { message: plant('model-error') });
  if (kind === 'delegated' && turn === 0)
    return replyWithToolCalls({
      name: 'delegate',
      input: { agent: scout, task: `kind-sub ${plant('task')}` },
    });
  if (turn === 0)
    return replyWithToolCalls(
      { name: 'write_todos', input: { todos: [{ content: plant('todo'), status: 'pending' }] } },
      { name: 'write_line', input: { line: plant('tool-input'), fail: kind === 'broken' } },
    );
  if (turn === 1 && kind !== 'delegated') return results.length > 0 ? replyWithToolCalls(question) : replyWithText('?');
  return replyWithText(plant('reply'));
};

describe('encrypted data', () => {
  const log = collectLog();
  let folder: string;
  let server: DevServer;
  let p: TestParley;
  let restore: () => void;

  beforeAll(async () => {
    restore = installTestRuntime(log.log);
    folder = mkdtempSync(path.join(tmpdir(), 'parley-secrecy-'));
    const files = {
      dbFilename: path.join(folder, 'temporal.db'),
      logFile: path.join(folder, 'temporal.log'),
    };
    server = await startDevServer({ cli: findTemporalCli(), ...files, logLevel: 'debug' });
    p = await startParley({
      ownWorker: true,
      script,
      tools: [...builtInTools, tool],
      frontMatter: `subagents: [${scout}]\nquestions: { notify: [log], remind: [2s] }`,
      agents: { [scout]: 'tools: [write_todos, write_line]' },
      address: `127.0.0.1:${server.port}`,
      env: { PARLEY_ENCRYPTION_KEYS: ENCRYPTION_KEY_1, LOG_LEVEL: 'debug' },
      log: log.log,
      workerLog: log.log,
    });
  });
  afterAll(async () => {
    restore();
    await p.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const begin = (kind: string) =>
    p.startConversation(`kind-${kind} ${plant('message')}`, {
      metadata: { [plant('metadata-key')]: plant('metadata') },
      assignees: [plant('assignee')],
      visibleTo: [plant('viewer')],
      callbackUrl: `http://127.0.0.1:9/${plant('callback')}`,
    });

  const asked = async (kind: string) => {
    const id = await begin(kind);
    await p.waitForQuestion(id);
    return id;
  };

  const untilClosed = async (id: string) => {
    while (!['completed', 'failed', 'cancelled'].includes((await p.getConversation(id)).status))
      await new Promise((resolve) => setTimeout(resolve, 50));
  };

  /** Conversations of every kind, each up to a point. */
  const play = async (): Promise<string[]> => {
    const answer = {
      answers: { q1: { other: plant('other') }, q2: plant('answer') },
      comment: plant('comment'),
    };
    const parked = await asked('parked');
    const answered = await asked('answered');
    await p.answer(answered, answer);
    const declined = await asked('declined');
    await p.call('POST', `/v1/conversations/${declined}/questions/latest/decline`, {
      reason: plant('decline'),
    });
    const cancelled = await asked('cancelled');
    await p.call('POST', `/v1/conversations/${cancelled}/cancel`, { reason: plant('cancel') });
    const broken = await asked('broken');
    await p.call('POST', `/v1/conversations/${broken}/messages`, { text: plant('further') });
    const failed = await begin('failed');
    const delegated = await begin('delegated');
    const sub = await subOf(delegated);
    await p.waitForQuestion(sub);
    await p.answer(sub, answer);
    const ended = [answered, declined, cancelled, failed, delegated];
    await Promise.all(ended.map(untilClosed));
    return [parked, broken, sub, ...ended];
  };

  const subOf = async (id: string): Promise<string> => {
    for (;;) {
      const { body } = await p.call<{ items: { what?: string }[] }>('GET', `/v1/conversations/${id}/timeline`);
      const found = body.items.map(({ what }) => /^Started sub-agent .* in (\S+)/.exec(what ?? '')?.[1]).find(Boolean);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  /** The bytes that Temporal stores. */
  const kept = async (): Promise<[string, Uint8Array][]> => {
    const { namespace } = p.client.options;
    const listed = await p.client.workflowService.listWorkflowExecutions({ namespace, pageSize: 1_000 });
    const List = temporal.api.workflowservice.v1.ListWorkflowExecutionsResponse;
    const Description = temporal.api.workflowservice.v1.DescribeWorkflowExecutionResponse;
    const History = temporal.api.history.v1.History;
    const found: [string, Uint8Array][] = [['Visibility', List.encode(listed).finish()]];
    for (const { execution } of listed.executions ?? []) {
      const id = execution?.workflowId ?? '';
      const described = await p.client.workflowService.describeWorkflowExecution({ namespace, execution });
      found.push([`description of ${id}`, Description.encode(described).finish()]);
      const { history } = await p.client.workflowService.getWorkflowExecutionHistory({
        namespace,
        execution,
        maximumPageSize: 1_000,
      });
      found.push([`history of ${id}`, History.encode(history ?? {}).finish()]);
    }
    return found;
  };

  it('is nowhere in plain text: not in histories, Visibility, server files or logs', async () => {
    const ids = await play();
    await log.waitForLine((line) => String(line.msg).startsWith('Question waiting for an answer'));
    const read = await Promise.all(
      ids.map(async (id) => JSON.stringify((await p.call('GET', `/v1/conversations/${id}/export`)).body)),
    );
    // A text that never occurred would never be found.
    const unsaid = [...planted].filter((text) => !read.join('\n').includes(text));
    expect(unsaid).toEqual([plant('assignee'), plant('viewer'), plant('callback')]);

    const places = await kept();
    expect(places.length).toBeGreaterThan(2 * ids.length);
    await p.stopWorker();
    await server.stop();
    const files = readdirSync(folder).map((file): [string, Uint8Array] => [
      file,
      readFileSync(path.join(folder, file)),
    ]);
    expect(files.map(([file]) => file)).toEqual(expect.arrayContaining(['temporal.db', 'temporal.log']));
    const logs: [string, Uint8Array] = ['logs of API and worker', Buffer.from(log.text())];
    const leaks = [...places, ...files, logs].filter(([, bytes]) => holds(bytes)).map(([where]) => where);
    expect(leaks).toEqual([]);
  });

  it('would be found by this search if it were not encrypted', () => {
    for (const before of ['', 'a', 'ab', 'abc']) {
      expect(holds(Buffer.from(`${before}${PLANTED}`))).toBe(true);
      expect(holds(Buffer.from(Buffer.from(`${before}${PLANTED}, and more`).toString('base64')))).toBe(true);
    }
    expect(holds(Buffer.from('something else'))).toBe(false);
  });
});
