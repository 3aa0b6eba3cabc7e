import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { createBuilds as Create } from '../../../chaos/builds';
import { compileHarness } from '../../support/chaos/compiled';

/** They are found in the bundle by its words: whoever rewords a workflow hears of it here, and not when a proof is wanted. */
describe('the builds that the harness deploys', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-plants-'));
  let createBuilds: typeof Create;
  beforeAll(() => {
    const built = path.join(__dirname, '../../..', path.dirname(compileHarness()), 'builds.js');
    ({ createBuilds } = require(built));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['verdicts-dropped', 'handler-throws'])('have the bug in them: %s', async (plant) => {
    const planted = readFileSync((await createBuilds(folder, plant)).next().codePath, 'utf8');
    const sound = readFileSync((await createBuilds(folder)).next().codePath, 'utf8');
    expect(planted).not.toBe(sound);
  });

  it('do one thing more each time', async () => {
    const builds = await createBuilds(folder);
    builds.next();
    for (const name of ['chaos-build-1', 'chaos-build-2'])
      expect(readFileSync(builds.next().codePath, 'utf8')).toContain(name);
  });
});
