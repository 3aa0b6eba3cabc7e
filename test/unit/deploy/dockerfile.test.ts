import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const PROJECT = path.join(__dirname, '../../..');
const readProjectFile = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');
const lines = (file: string) => readProjectFile(file).split('\n');

/** What is copied from the clone into each image: the builder and the runtime. */
const [, buildSources = [], runtimeSources = []] = readProjectFile('Dockerfile')
  .split(/^FROM .*$/m)
  .map((stage) => [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) => sources.split(' ')));

describe('the Dockerfile', () => {
  it('copies only existing files that .dockerignore allows', () => {
    const allowed = lines('.dockerignore').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    const copied = [...new Set([...buildSources, ...runtimeSources])];
    expect(copied.filter((file) => !existsSync(path.join(PROJECT, file)))).toEqual([]);
    expect([...allowed].sort()).toEqual([...copied].sort());
  });

  it('builds the web app from its sources, and runs the build', () => {
    expect(buildSources).toEqual(expect.arrayContaining(['web', 'src', 'scripts', 'package-lock.json']));
    expect(runtimeSources).toEqual(['package.json', 'agents']);
    expect(lines('Dockerfile')).toContain('COPY --from=build /app/dist dist');
  });

  it('creates the workflow bundle with and without encryption, because the container is read-only', () => {
    expect(readProjectFile('Dockerfile')).toMatch(
      /buildWorkflowBundle\('\/app\/dist'\)\.then\(\(\) => buildWorkflowBundle\('\/app\/dist', \[\]\)\)/,
    );
    expect(lines('Dockerfile')).toContain('USER 1000:1000');
  });

  it('uses an exact Node version that the package supports', () => {
    const { engines } = JSON.parse(readProjectFile('package.json')) as { engines: { node: string } };
    expect(engines.node).toBe('^20.19 || >=22.12');
    expect(lines('Dockerfile').filter((line) => line.startsWith('FROM '))).toEqual([
      expect.stringMatching(/^FROM node:22\.[1-9]\d\.\d+-slim AS build$/),
      expect.stringMatching(/^FROM node:22\.[1-9]\d\.\d+-slim$/),
    ]);
  });
});
