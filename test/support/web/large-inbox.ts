import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { readConfig } from '#channels/read-config';
import { createParley } from '#client/parley';
import { createTemporalClient } from '#infra/temporal/client';
import { startDevServer } from '#infra/temporal/dev-server/dev-server';
import { registerSearchAttributes } from '#infra/temporal/prepare-namespace';
import { findTemporalCli } from '#infra/temporal/toolchain';
import { lastToolResults, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import {
  computeMedian,
  type RenderMetrics,
  readRenderMetrics,
  recordPaintMetrics,
  scrollInboxToEnd,
} from './render-metrics';
import {
  createSignedInState,
  locateInboxRows,
  readFirstMessage,
  startWebFixture,
  type WebFixture,
} from './web-fixture';

const FEW = 5;

/** Tests that a large inbox is as fast as one with five questions. */
export function testLargeInbox(many: number): void {
  let inbox: LargeInbox;
  let w: WebFixture;
  beforeAll(async () => {
    inbox = await startLargeInbox();
    w = inbox.w;
    const began = Date.now();
    await Promise.all([inbox.startAll(w.ann, many), inbox.startAll('dave', FEW)]);
    const seconds = ((Date.now() - began) / 1_000).toFixed(1);
    process.stdout.write(`\n${many + FEW} conversations parked in ${seconds} s\n`);
  }, 240_000);
  afterAll(() => inbox.stop());

  /** Opens the inbox in a new browser context and waits for its rows. */
  async function openInbox(user: string): Promise<Page> {
    const options = {
      storageState: await createSignedInState(w, user),
      viewport: { width: 1280, height: 800 },
    };
    const page = await w.pages.open('about:blank', options);
    await recordPaintMetrics(page);
    await page.goto(w.url);
    await page.locator('li[data-index]').first().waitFor();
    return page;
  }

  const countQuestions = async (page: Page) =>
    Number(await page.locator('li[data-index]').first().getAttribute('aria-setsize'));

  it('is there as soon as one of five, and is as small a page', async () => {
    const taken: Record<string, RenderMetrics[]> = { few: [], many: [] };
    for (const [name, user, count] of [
      ['few', 'dave', FEW],
      ['many', w.ann, many],
    ] as const) {
      const page = await openInbox(user);
      expect(await countQuestions(page)).toBe(count);
      taken[name]?.push(await readRenderMetrics(page));
      await page.context().close();
    }
    const of = (name: string, what: keyof RenderMetrics) =>
      computeMedian((taken[name] ?? []).map((figures) => figures[what]));
    const row = (what: keyof RenderMetrics, unit: string, by = 1, digits = 0) => {
      const [few, many] = [of('few', what) / by, of('many', what) / by];
      return `${what.padEnd(12)}${few.toFixed(digits).padStart(10)}${many.toFixed(digits).padStart(10)} ${unit}`;
    };
    const bytes = [await inbox.snapshotBytes('dave'), await inbox.snapshotBytes(w.ann)].map((size) =>
      (size / 1_024).toFixed(0).padStart(10),
    );
    process.stdout.write(
      `\n${''.padEnd(12)}${`${FEW}`.padStart(10)}${`${many}`.padStart(10)} questions\n${[
        row('firstPaint', 'ms'),
        row('firstRow', 'ms'),
        row('longestTask', 'ms, the longest task'),
        row('layoutShift', 'of layout', 1, 4),
        row('rows', 'in the page'),
        row('nodes', 'elements'),
        row('heap', 'MB', 1_048_576, 1),
        `snapshot    ${bytes.join('')} KB`,
      ].join('\n')}\n`,
    );
    expect(of('many', 'rows')).toBeLessThan(60);
    expect(of('many', 'nodes')).toBeLessThan(3 * of('few', 'nodes'));
    expect(of('many', 'layoutShift')).toBeLessThan(0.1);
  });

  it('is ridden down from the first to the last, with a few rows in the page at a time', async () => {
    const page = await openInbox(w.ann);
    const { frames, mostRows, headlines } = await scrollInboxToEnd(page, 300);
    const slow = frames.filter((ms) => ms > 50).length;
    process.stdout.write(
      `\n${frames.length} frames, median ${computeMedian(frames).toFixed(1)} ms, ${slow} over 50 ms, most rows ${mostRows}\n`,
    );
    expect(headlines).toHaveLength(many);
    expect(mostRows).toBeLessThan(60);
    expect(await locateInboxRows(page).last().textContent()).toContain(`Question ${99 + many}?`);
    await page.context().close();
  });

  it('stays still in sight while questions come and go beyond it', async () => {
    const page = await openInbox(w.ann);
    await page
      .locator('li[data-index]')
      .first()
      .evaluate((row, down) => row.closest('div')?.scrollTo(0, down), 40 * many);
    await page.waitForFunction(
      (least) => Number(document.querySelector('li[data-index]')?.getAttribute('data-index')) > least,
      many / 5,
    );
    const places = () =>
      page
        .locator('li[data-index]')
        .evaluateAll((rows) =>
          rows
            .map(
              (row) =>
                [row.querySelector('a')?.getAttribute('href'), Math.round(row.getBoundingClientRect().top)] as const,
            )
            .filter(([, top]) => top > 120 && top < 700),
        );
    const before = await places();
    expect(before.length).toBeGreaterThan(3);
    await Promise.all([20, 21, 22, 200 + many].map((number) => inbox.start(w.ann, number)));
    await Promise.all([101, 90 + many].map((number) => w.answer(inbox.idOf(w.ann, number), { answer: 'A' })));
    await page
      .locator(`li[aria-setsize="${many + 2}"]`)
      .first()
      .waitFor();
    expect(await places()).toEqual(before);
    await page.context().close();
  });

  it('changes nothing under a pointer that moves, and catches up when it rests', async () => {
    const page = await openInbox(w.ann);
    const count = await countQuestions(page);
    const first = locateInboxRows(page).first();
    const link = await first.getAttribute('href');
    await inbox.start(w.ann, 10);
    // Moved from within the page: from the test, a move may take longer than the pause that counts as resting.
    const seen = await page.evaluate(
      async (news) => {
        const list = document.querySelector('ul[aria-label="Open questions"]');
        for (;;) {
          list?.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, pointerType: 'mouse' }));
          if (document.querySelector('nav')?.textContent?.includes(news))
            return list?.querySelector('a')?.getAttribute('href');
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      },
      `${count + 1} waiting`,
    );
    expect(seen).toBe(link);
    await page
      .locator(`li[aria-setsize="${count + 1}"]`)
      .first()
      .waitFor();
    expect(await first.textContent()).toContain('Question 10?');
    await page.context().close();
  });
}

interface LargeInbox {
  w: WebFixture;
  idOf(user: string, number: number): string;
  /** Starts a conversation whose question sorts after those with lower numbers. */
  start(user: string, number: number): Promise<void>;
  /** Starts `count` conversations, numbered from 100, ten at a time, and waits until all are parked. */
  startAll(user: string, count: number): Promise<void>;
  /** Returns the size of the user's inbox snapshot. */
  snapshotBytes(user: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a Parley for many questions on its own server, so that other tests' inboxes do not contain them. */
async function startLargeInbox(): Promise<LargeInbox> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-crowd-'));
  const server = await startDevServer({ cli: findTemporalCli(), logFile: path.join(folder, 'temporal.log') });
  const address = `127.0.0.1:${server.port}`;
  const client = createTemporalClient({ ...readConfig({}).temporal, address });
  await registerSearchAttributes(client);
  await client.connection.close();
  const w = await startWebFixture({
    address,
    keys: { dave: ['conversations:write', 'conversations:read', 'questions:answer'] },
    script: (request) => {
      if (lastToolResults(request).length > 0) return replyWithText('Thanks.');
      const number = Number(/\d+/.exec(readFirstMessage(request)));
      const questions = [{ question: `Question ${number}?`, options: [{ label: 'A' }, { label: 'B' }] }];
      // Later ones have later deadlines, so that the order is fixed.
      return replyWithToolCalls({
        name: 'ask_user_question',
        input: { questions, timeout: `${(number + 1) * 60}s` },
      });
    },
  });
  const idOf = (user: string, number: number) => `${user}-${number}`;
  const self: LargeInbox = {
    w,
    idOf,
    async start(user, number) {
      const body = { id: idOf(user, number), agent: w.agent, message: `Ask ${number}` };
      // The client retries if a busy server rejects a request.
      await createParley({ url: w.url, key: w.apiKey(user), retries: 10 }).start(body);
    },
    async startAll(user, count) {
      const left = Array.from({ length: count }, (_, index) => 100 + index);
      const work = async () => {
        for (let number = left.shift(); number !== undefined; number = left.shift()) await self.start(user, number);
      };
      await Promise.all(Array.from({ length: 10 }, work));
      const known = new Set<string>();
      for await (const { event, data } of createParley({ url: w.url, key: w.apiKey(user) }).inboxEvents()) {
        for (const { conversationId } of event === 'snapshot' ? data.items : [data]) known.add(conversationId);
        if (known.size === count) return;
      }
    },
    async snapshotBytes(user) {
      for await (const { event, data } of createParley({ url: w.url, key: w.apiKey(user) }).inboxEvents())
        if (event === 'snapshot') return JSON.stringify(data).length;
      return Number.NaN;
    },
    async stop() {
      await w.stop();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return self;
}
