import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const PROJECT = path.join(__dirname, '../..');
const lines = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8').split('\n');

/** What is copied from the clone, for each of the two images: the one that builds and the one that runs. */
const [, building = [], running = []] = lines('Dockerfile').reduce<string[][]>(
  (stages, line) => {
    if (line.startsWith('FROM ')) return [...stages, []];
    const [, sources] = /^COPY (?!--from)(.+) \S+$/.exec(line) ?? [];
    if (sources) stages.at(-1)?.push(...sources.split(' '));
    return stages;
  },
  [[]],
);

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

  it('is of a Node that the package says it runs on', () => {
    const { engines } = JSON.parse(lines('package.json').join('\n')) as { engines: { node: string } };
    expect(engines.node).toBe('^20.19 || >=22.12');
    expect(lines('Dockerfile').filter((line) => line.startsWith('FROM '))).toEqual([
      'FROM node:20-slim AS build',
      'FROM node:20-slim',
    ]);
  });
});
