import { createHash, createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Request } from 'express';
import { Refusal } from './errors';

/** The secret that ids made from `Idempotency-Key` hang on; made once and kept where none is set. */
export function keptSecret(given: string | undefined, folder: string): string {
  if (given) return given;
  const file = path.join(folder, 'secret');
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}

/** Names what a request does, the same for a retry with the same key, and different for every other. */
export function effectId(request: Request, secret: string, ...what: string[]): string {
  const key = request.get('idempotency-key');
  if (key === undefined) return randomBytes(12).toString('hex');
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Refusal(
      'invalid_request',
      'Idempotency-Key is 1 to 255 visible ASCII characters without spaces.',
    );
  }
  return createHmac('sha256', secret)
    .update(JSON.stringify([...what, key]))
    .digest('hex')
    .slice(0, 32);
}

/** What was asked for, whatever order its fields came in. */
export function digestOf(body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(body)) ?? '')
    .digest('hex')
    .slice(0, 32);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, part]) => [name, sorted(part)]);
}
