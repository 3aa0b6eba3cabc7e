import { spawnSync } from 'node:child_process';
import path from 'node:path';

it.each([
  ['18.20.8', false],
  ['20.18.3', false],
  ['20.19.0', true],
  ['21.7.3', false],
  ['22.11.0', false],
  ['22.12.0', true],
  ['23.0.0', true],
  ['24.1.0', true],
])('knows whether Node %s will do: %s', (version, willDo) => {
  const file = path.join(__dirname, '../../scripts/setup/node-version.mjs');
  const code = `import { isNewEnough } from ${JSON.stringify(file)}; console.log(isNewEnough('${version}'));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(stdout.trim()).toBe(String(willDo));
});
