import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ConversationExport } from '#contract/responses';
import { type DevServer, startDevServer } from '#infra/temporal/dev-server/dev-server';
import { findTemporalCli } from '#infra/temporal/toolchain';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { type SseWatcher, watchConversationEvents } from '#test/support/sse-client';

const SEED = Number(process.env.PARLEY_SEED ?? 20261117);

/** mulberry32: the same sequence for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type AcceptedBody = { question?: { id: string } | null };

/** An action that was sent under a unique name, with the API's reply. */
interface SentAction {
  kind: 'answer' | 'decline' | 'message';
  status: number;
  sentAt: number;
  /** When it was accepted, and for which question. */
  accepted?: { at: number; question: string };
}

/** Users who act at random times on one conversation, and all replies that they got. */
class SimulatedUsers {
  readonly sent = new Map<string, SentAction>();
  readonly runs = new Set<string>();
  private readonly random: () => number;
  private count = 0;

  constructor(
    private readonly p: TestParley,
    readonly id: string,
    seed: number,
  ) {
    this.random = createRandom(seed);
  }

  private name(): string {
    this.count += 1;
    return `${this.id}-${String(this.count).padStart(5, '0')}`;
  }

  private async send(kind: SentAction['kind'], route: string, body: (name: string) => object): Promise<void> {
    const name = this.name();
    const headers = { 'Idempotency-Key': name };
    const call = () => this.p.call<AcceptedBody>('POST', `/v1/conversations/${this.id}/${route}`, body(name), headers);
    const sentAt = Date.now();
    const { status, body: told } = await call();
    const question = told.question?.id;
    const accepted = status === 202 && question ? { accepted: { at: Date.now(), question } } : {};
    // Some requests are repeated, as by a client that lost the reply. A rejected one may be accepted then, as another
    // question may be the latest.
    const repeatedStatus = this.random() < 0.2 ? (await call()).status : status;
    if (status === 200) expect(repeatedStatus).toBe(200);
    this.sent.set(name, {
      kind,
      status: status === 202 && repeatedStatus === 409 ? 202 : repeatedStatus,
      sentAt,
      ...accepted,
    });
  }

  private act(): Promise<unknown> {
    const random = this.random();
    const { handle } = this;
    if (random < 0.18) return this.send('answer', 'questions/latest/answer', (comment) => ({ answer: 'A', comment }));
    if (random < 0.24) return this.send('decline', 'questions/latest/decline', (reason) => ({ reason }));
    if (random < 0.34) return this.send('message', 'messages', (text) => ({ text }));
    // Invalid signals have no effect, but have to be read and take space in the history.
    return handle.signal('answerQuestion', random < 0.7 ? null : { answers: { q1: 'C' } }).catch(ignoreIfClosing);
  }

  get handle() {
    return this.p.client.workflow.getHandle(this.id);
  }

  /** Acts until the conversation has had that many runs. */
  async runUntil(runs: number): Promise<void> {
    while (this.runs.size <= runs) {
      const burst = 1 + Math.floor(this.random() * 4);
      await Promise.all(Array.from({ length: burst }, () => this.act()));
      this.runs.add((await this.handle.describe()).runId);
    }
  }

  /** Asks the agent to stop, and answers questions until it does. */
  async end(): Promise<void> {
    await this.p.call('POST', `/v1/conversations/${this.id}/messages`, { text: 'Stop' });
    for (;;) {
      const { status } = await this.p.getConversation(this.id);
      if (status === 'completed') return;
      if (status === 'waiting_for_input') await this.p.answer(this.id, { answer: 'B' });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Ignores that Temporal rejects signals while a busy server closes the run: only invalid ones are lost. */
function ignoreIfClosing(error: Error & { cause?: { message?: string } }): void {
  if (!/workflow is closing/.test(error.cause?.message ?? '')) throw error;
}

/** Starts a server where Temporal suggests continue-as-new after a few events. Returns its address. */
export function withEagerContinueAsNewServer(): () => string {
  let server: DevServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-roll-'));
    server = await startDevServer({
      cli: findTemporalCli(),
      logFile: path.join(folder, 'temporal.log'),
      dynamicConfig: ['limit.historyCount.suggestContinueAsNew=20'],
    });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return () => `127.0.0.1:${server.port}`;
}

/** Runs until there were `wanted` continue-as-new, while users answer, decline and write at random times. */
export function proveContinueAsNew(addressOf: () => string, wanted: number, maxCachedWorkflows?: number): void {
  const conversations = Math.max(3, Math.round(wanted / 100));
  let p: TestParley;

  beforeAll(async () => {
    p = await startParley({
      address: addressOf(),
      maxCachedWorkflows,
      frontMatter: 'questions: { perTurn: 1000, perConversation: 10000 }',
      script: ({ body: { messages } }) => {
        const isOver = JSON.stringify(messages.at(-1)).includes('"Stop"');
        return isOver
          ? replyWithText('done')
          : replyWithQuestion({
              question: `Question ${messages.length}?`,
              options: TWO_OPTIONS,
              allowOther: false,
            });
      },
    });
  });
  afterAll(() => p.stop());

  it(
    'lose nothing and double nothing',
    async () => {
      const users: SimulatedUsers[] = [];
      const viewers: SseWatcher<{ event: string; id?: number }>[] = [];
      for (let n = 0; n < conversations; n += 1) {
        const id = await p.startConversation();
        await p.waitForQuestion(id);
        users.push(new SimulatedUsers(p, id, SEED + n));
        // Without a cache, each read for a viewer replays the run.
        if (maxCachedWorkflows !== 0) viewers.push(await watchConversationEvents(p.url, id));
      }
      await Promise.all(users.map((user) => user.runUntil(Math.ceil(wanted / conversations))));
      await Promise.all(users.map((user) => user.end()));
      for (const user of users) await expectActionsAppliedOnce(p, user);
      const continueAsNewCount = users.reduce((sum, { runs }) => sum + runs.size - 1, 0);
      for (const viewer of viewers) {
        await viewer.closed;
        const numbers = viewer.events.flatMap(({ id }) => id ?? []);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      }
      const sentActions = users.flatMap((user) => [...user.sent.values()]);
      const counts = [200, 202, 409].map(
        (code) => `${sentActions.filter(({ status }) => status === code).length} × ${code}`,
      );
      console.log(
        `seed ${SEED}: ${continueAsNewCount} roll-overs, ${sentActions.length} acts of people: ${counts.join(', ')}`,
      );
      expect(continueAsNewCount).toBeGreaterThanOrEqual(wanted);
    },
    300_000 + wanted * 1_000,
  );
}

const TWO_OPTIONS = [{ label: 'A' }, { label: 'B' }];

/** Checks that each acknowledged action took effect exactly once, and each rejected one not at all. */
async function expectActionsAppliedOnce(p: TestParley, { id, sent }: SimulatedUsers): Promise<void> {
  const { body } = await p.call<ConversationExport>('GET', `/v1/conversations/${id}/export`);
  expect(body.truncated).toBeUndefined();
  const transcriptText = JSON.stringify(body.transcript);
  const timelineText = JSON.stringify(body.timeline);
  for (const [name, { kind, status, accepted }] of sent) {
    const times = [transcriptText, timelineText].map((text) => text.split(name).length - 1);
    if (status === 200 || (kind === 'message' && status === 202))
      expect([name, kind, status, ...times]).toEqual([name, kind, status, 1, 1]);
    // Accepted, but an action that was sent before this one was accepted came first. Or Temporal was too busy to reply.
    else if (status === 202 || status === 503) {
      expect(Math.max(...times)).toBeLessThanOrEqual(1);
      if (!accepted || kind === 'message' || times[1] === 1) continue;
      const outcome = JSON.stringify(body.questions.find(({ id: asked }) => asked === accepted.question)?.outcome);
      const [, first] = [...sent].find(([other]) => outcome.includes(other)) ?? [];
      expect([name, first !== undefined && first.sentAt <= accepted.at]).toEqual([name, true]);
    } else expect([name, kind, status, ...times]).toEqual([name, kind, 409, 0, 0]);
  }
  const outcomes = body.questions.map(({ id: question, outcome }) => [question, outcome !== null]);
  expect(outcomes).toEqual(body.questions.map((_, n) => [`question-${n + 1}`, true]));
}
