import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const PROJECT = path.join(__dirname, '../../..');
const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');
const lines = (file: string) => read(file).split('\n');

/** What is copied from the clone into each of the two images: the one that builds and the one that runs. */
const [, building = [], running = []] = read('Dockerfile')
  .split(/^FROM .*$/m)
  .map((stage) => [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from = '']) => from.split(' ')));

describe('the Dockerfile', () => {
  it('copies only what there is, and what .dockerignore lets in', () => {
    const allowed = lines('.dockerignore').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    const copied = [...new Set([...building, ...running])];
    expect(copied.filter((file) => !existsSync(path.join(PROJECT, file)))).toEqual([]);
    expect([...allowed].sort()).toEqual([...copied].sort());
  });

  it('has the web app to build it, and runs with what was built', () => {
    expect(building).toEqual(expect.arrayContaining(['web', 'src', 'scripts', 'package-lock.json']));
    expect(running).toEqual(['package.json', 'agents']);
    expect(lines('Dockerfile')).toContain('COPY --from=build /app/dist dist');
  });

  it('makes the workflow bundle with and without encryption, as nothing can be written where it runs', () => {
    expect(read('Dockerfile')).toMatch(
      /workflowBundle\('\/app\/dist'\)\.then\(\(\) => workflowBundle\('\/app\/dist', \[\]\)\)/,
    );
    expect(lines('Dockerfile')).toContain('USER 1000:1000');
  });

  it('is of a Node that the package says it runs on, to the very version', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    expect(engines.node).toBe('^20.19 || >=22.12');
    expect(lines('Dockerfile').filter((line) => line.startsWith('FROM '))).toEqual([
      expect.stringMatching(/^FROM node:22\.[1-9]\d\.\d+-slim AS build$/),
      expect.stringMatching(/^FROM node:22\.[1-9]\d\.\d+-slim$/),
    ]);
  });
});
