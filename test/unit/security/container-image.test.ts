import { readFileSync } from 'node:fs';
import path from 'node:path';

const dockerfile = readFileSync(path.join(__dirname, '../../../Dockerfile'), 'utf8');
const ignored = readFileSync(path.join(__dirname, '../../../.dockerignore'), 'utf8').split('\n');

it('runs as an unprivileged user, in an image that contains only the files it names', () => {
  const stages = dockerfile.split(/^FROM /m);
  const users = [...(stages.at(-1) ?? '').matchAll(/^USER (\S+)$/gm)].map(([, user]) => user);
  expect(users.at(-1)).toMatch(/^(?!root$|0(:|$))\S+$/);
  expect(ignored).toContain('*');
  expect(ignored.filter((line) => line.startsWith('!') && /env|parley$|secret|\.git/i.test(line))).toEqual([]);
});
