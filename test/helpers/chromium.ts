import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const TOOLCHAIN = path.join(__dirname, '../../dist/toolchain.json');

/** The Chromium that the set-up found for the end-to-end tests. */
export function chromium(): string {
  const known: { chromium?: string } = existsSync(TOOLCHAIN)
    ? JSON.parse(readFileSync(TOOLCHAIN, 'utf8'))
    : {};
  if (known.chromium && existsSync(known.chromium)) return known.chromium;
  throw new Error('There is no Chromium here. `npm test` finds or gets one; or set PARLEY_CHROMIUM.');
}
