import { existsSync } from 'node:fs';
import path from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type IncomingEmail, type ParsedEmail, parseEmail, readHeader } from './parse-email';

const MAX_PARSE_MS = 20_000;
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 256 };

let previous: Promise<unknown> = Promise.resolve();

/**
 * Parses an email in a thread, one at a time: some take seconds, in which the API would serve no other request. A bundle
 * without the thread's file, as on Lambda, serves one request at a time anyway.
 */
export async function parseIncomingEmail(raw: Buffer): Promise<IncomingEmail> {
  const file = findThreadFile();
  const parsing = file ? previous.then(() => runThread(file, raw)) : parseEmail(raw);
  previous = parsing.catch(() => undefined);
  const parsed = await parsing;
  return { ...parsed, header: (name) => readHeader(parsed.headerLines, name) };
}

/** This file, compiled: a thread cannot load TypeScript. */
function findThreadFile(): string | undefined {
  const file = 'parse-in-thread.js';
  const candidates = [__dirname, path.join(__dirname, '../../../../dist/src/channels/email/inbound')];
  return candidates.map((folder) => path.join(folder, file)).find((candidate) => existsSync(candidate));
}

function runThread(file: string, email: Buffer): Promise<ParsedEmail> {
  const thread = new Worker(file, { workerData: { email }, resourceLimits: MEMORY_LIMITS });
  const timer = setTimeout(() => thread.terminate(), MAX_PARSE_MS);
  return new Promise<ParsedEmail>((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('The email could not be parsed.')));
  }).finally(() => {
    clearTimeout(timer);
    void thread.terminate();
  });
}

if (!isMainThread && workerData?.email)
  void parseEmail(Buffer.from(workerData.email)).then((parsed) => parentPort?.postMessage(parsed));
