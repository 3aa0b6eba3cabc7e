import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../project';

/** What `scripts/setup.mjs` found, in `dist/toolchain.json`: it alone knows how to look. */
interface Toolchain {
  temporal?: string;
  testServer?: string;
}

/** The Temporal CLI: `TEMPORAL_CLI`, else the one the set-up found. */
export function temporalCli(env: NodeJS.ProcessEnv = process.env): string {
  const { temporal } = read();
  return checked(
    env.TEMPORAL_CLI ? path.resolve(env.TEMPORAL_CLI) : temporal,
    'There is no Temporal CLI here. `npm start` gets one; or set TEMPORAL_CLI, or TEMPORAL_ADDRESS.',
  );
}

/** The time-skipping server that the tests use. */
export function testServer(): string {
  return checked(read().testServer, 'There is no time-skipping test server here. `npm test` gets one.');
}

function checked(file: string | undefined, otherwise: string): string {
  if (file && existsSync(file)) return file;
  throw new Error(file ? `${file} is gone. ${otherwise}` : otherwise);
}

function read(): Toolchain {
  const file = path.join(projectFolder(), 'dist', 'toolchain.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Toolchain) : {};
}
