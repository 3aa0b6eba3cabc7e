import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { CLIENT } from '../../support/client';

const LOADED = path.join(__dirname, '../../support/loaded.js');
const TIMES = 15;
const ROUNDS = 3;

function took(...words: string[]): number {
  const began = performance.now();
  const { status } = spawnSync(process.execPath, words, { stdio: 'ignore' });
  expect(status).toBe(0);
  return performance.now() - began;
}

const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** One after the other, so that whatever else the machine does slows both. */
function round(): { node: number; help: number } {
  const times = Array.from({ length: TIMES }, () => [took('-e', '0'), took(CLIENT, '--help')] as const);
  return { node: median(times.map(([node]) => node)), help: median(times.map(([, help]) => help)) };
}

/** Whoever comes with the first screen is waited for: a module that is heavy belongs behind the command that needs it. */
it.each(['zod', 're2js', 'markdown-it'])('shows its help without %s', (name) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--require', LOADED, CLIENT, '--help'], {
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([0, expect.stringContaining('doctor')]);
  const loaded: string[] = JSON.parse(stderr);
  expect(loaded).toContain(CLIENT);
  expect(loaded.filter((file) => file.includes(`/node_modules/${name}/`))).toEqual([]);
});

it('shows its help in 1.5 times what Node takes to do nothing, and a tenth of a second', () => {
  let [node, help] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let rounds = 0; rounds < ROUNDS; rounds += 1) {
    const seen = round();
    [node, help] = [Math.min(node, seen.node), Math.min(help, seen.help)];
    if (help <= 1.5 * node + 100) break;
  }
  process.stdout.write(
    `parley --help: ${help.toFixed(0)} ms, node -e 0: ${node.toFixed(0)} ms, ratio ${(help / node).toFixed(2)}\n`,
  );
  expect(help).toBeLessThanOrEqual(1.5 * node + 100);
});
