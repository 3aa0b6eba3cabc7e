import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transformSync } from '@swc/core';

const PROJECT = path.join(__dirname, '../../..');

/** Compiles the chaos harness to dist, as `npm run chaos` does: the setup compiles only the code that is published. */
export function compileChaosHarness(): string {
  for (const folder of ['chaos', 'test/support/temporal', 'test/support/temporal-postgres']) {
    const files = readdirSync(path.join(PROJECT, folder), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => name.endsWith('.ts'))) {
      const { code } = transformSync(readFileSync(path.join(PROJECT, folder, file), 'utf8'), {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'commonjs' },
      });
      const output = path.join(PROJECT, 'dist', folder, file.replace(/\.ts$/, '.js'));
      mkdirSync(path.dirname(output), { recursive: true });
      writeFileSync(output, code);
    }
  }
  return 'dist/chaos/main.js';
}
