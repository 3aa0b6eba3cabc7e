import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { createLog, installRuntime } from '../../src/log';
import { dataConverter } from '../../src/temporal/converter';
import { workflowBundle } from '../../src/temporal/workflow-bundle';

installRuntime(createLog('silent'));

/** A conversation parked on any version goes on with today's code. */
describe('a recorded conversation replays on this code:', () => {
  const folder = path.join(__dirname, '..', 'histories');
  const files = readdirSync(folder).filter((file) => file.endsWith('.pb.gz'));
  const read = (file: string) =>
    temporal.api.history.v1.History.decode(gunzipSync(readFileSync(path.join(folder, file))));

  it.each(files)('%s', async (file) => {
    const bundle = await workflowBundle(path.join(__dirname, '..', '..', 'dist'));
    await Worker.runReplayHistory(
      { workflowBundle: bundle, dataConverter: dataConverter(undefined) },
      read(file),
    );
  });

  it('fails where the code would do something else', async () => {
    const bundle = await workflowBundle(path.join(__dirname, '..', '..', 'dist'));
    const history = read(files.find((file) => file.endsWith('-answered.pb.gz')) ?? '');
    for (const { activityTaskScheduledEventAttributes: scheduled } of history.events ?? []) {
      if (scheduled) scheduled.activityType = { name: 'dream' };
    }
    await expect(
      Worker.runReplayHistory({ workflowBundle: bundle, dataConverter: dataConverter(undefined) }, history),
    ).rejects.toThrow();
  });
});
