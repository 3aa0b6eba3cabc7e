import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findPackageRoot } from '#infra/package-info';

/** Returns the Temporal CLI: `TEMPORAL_CLI`, else the one that the setup found. */
export function findTemporalCli(env: NodeJS.ProcessEnv = process.env): string {
  return requireProgram(
    env.TEMPORAL_CLI ? path.resolve(env.TEMPORAL_CLI) : readToolchain().temporal,
    'Temporal CLI not found. `npm start` installs it; or set TEMPORAL_CLI or TEMPORAL_ADDRESS.',
  );
}

export function requireProgram(file: string | undefined, installHint: string): string {
  if (file && existsSync(file)) return file;
  throw new Error(file ? `${file} no longer exists. ${installHint}` : installHint);
}

/** Reads which programs `scripts/setup.mjs` found, from `dist/toolchain.json`. */
export function readToolchain(): Partial<Record<string, string>> {
  const file = path.join(findPackageRoot(), 'dist', 'toolchain.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}
