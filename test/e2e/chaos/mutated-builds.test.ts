import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compileChaosHarness } from '#test/support/chaos/compile-harness';

const PROJECT = path.join(__dirname, '../../..');

/** The bugs are found in the bundle by its text: a reworded workflow fails here, not in the next release proof. */
describe('the builds of the chaos harness', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-plants-'));
  let harness: string;
  beforeAll(() => {
    harness = path.join(PROJECT, path.dirname(compileChaosHarness()), 'cluster/mutated-builds.js');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /**
   * The first builds' code. Read in a separate process, because deployed code is compiled and tests run from the
   * sources.
   */
  function builds(count: number, plant?: string): string[] {
    const script = `
      const { createBuildSequence } = require(${JSON.stringify(harness)});
      createBuildSequence(${JSON.stringify(mkdtempSync(path.join(folder, 'builds-')))}, ${JSON.stringify(plant)}).then((builds) => {
        const files = Array.from({ length: ${count} }, () => builds.next().codePath);
        console.log(JSON.stringify(files));
      });`;
    const files: string[] = JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }));
    return files.map((file) => readFileSync(file, 'utf8'));
  }

  it.each(['verdicts-dropped', 'handler-throws'])('contain their planted bug: %s', (plant) => {
    expect(builds(1, plant)).not.toEqual(builds(1));
  });

  it('each do one thing more than the one before', () => {
    const [, second, third] = builds(3);
    expect(second).toContain('chaos-build-1');
    expect(third).toContain('chaos-build-2');
  });
});
