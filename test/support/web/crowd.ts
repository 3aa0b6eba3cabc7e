import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createParley } from '#client/parley';
import { readConfig } from '#config';
import { lazyClient } from '#temporal/connect';
import { startDevServer } from '#temporal/local/dev-server';
import { registerAttributes } from '#temporal/search-attributes';
import { temporalCli } from '#temporal/toolchain';
import { lastToolResults, say, use } from '#test/support/scripted-model';
import { firstMessage, type Web, web } from '#test/support/web';

export interface Crowd {
  w: Web;
  idOf(who: string, number: number): string;
  /** Starts one whose question comes after those with lower numbers. */
  start(who: string, number: number): Promise<void>;
  /** Starts so many, from 100 on, ten at a time, and waits until all of them wait. */
  asked(who: string, count: number): Promise<void>;
  /** How much their inbox is when it is opened. */
  snapshotBytes(who: string): Promise<number>;
  stop(): Promise<void>;
}

/** A Parley for many questions, on a server of its own: nobody else's inbox has to hold them. */
export async function startCrowd(): Promise<Crowd> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-crowd-'));
  const server = await startDevServer({ cli: temporalCli(), logFile: path.join(folder, 'temporal.log') });
  const address = `127.0.0.1:${server.port}`;
  const client = lazyClient({ ...readConfig({}).temporal, address });
  await registerAttributes(client);
  await client.connection.close();
  const w = await web({
    address,
    keys: { dave: ['conversations:write', 'conversations:read', 'questions:answer'] },
    script: (request) => {
      if (lastToolResults(request).length > 0) return say('Thanks.');
      const number = Number(/\d+/.exec(firstMessage(request)));
      const questions = [{ question: `Question ${number}?`, options: [{ label: 'A' }, { label: 'B' }] }];
      // Later ones are due later, so that each has its place.
      return use({ name: 'ask_user_question', input: { questions, timeout: `${(number + 1) * 60}s` } });
    },
  });
  const idOf = (who: string, number: number) => `${who}-${number}`;
  const self: Crowd = {
    w,
    idOf,
    async start(who, number) {
      const body = { id: idOf(who, number), agent: w.agent, message: `Ask ${number}` };
      // A busy server may refuse one: the client sends it again.
      await createParley({ url: w.url, key: w.key(who), retries: 10 }).start(body);
    },
    async asked(who, count) {
      const left = Array.from({ length: count }, (_, index) => 100 + index);
      const work = async () => {
        for (let number = left.shift(); number !== undefined; number = left.shift())
          await self.start(who, number);
      };
      await Promise.all(Array.from({ length: 10 }, work));
      const known = new Set<string>();
      for await (const { event, data } of createParley({ url: w.url, key: w.key(who) }).inboxEvents()) {
        for (const { conversationId } of event === 'snapshot' ? data.items : [data])
          known.add(conversationId);
        if (known.size === count) return;
      }
    },
    async snapshotBytes(who) {
      for await (const { event, data } of createParley({ url: w.url, key: w.key(who) }).inboxEvents())
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
