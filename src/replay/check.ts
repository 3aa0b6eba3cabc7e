import path from 'node:path';
import type { Client } from '@temporalio/client';
import type { Keys } from '#contract/encryption';
import { projectFolder } from '#project';
import { workflowBundle } from '#temporal/workflow-bundle';
import { type Choice, countOpen, openCases } from './open';
import { type Code, replayAll } from './replaying';
import { type Report, reportOn } from './report';

/** The workflows of this build, as its workers run them. */
export async function codeHere(keys: Keys | undefined): Promise<Code> {
  return { workflowBundle: await workflowBundle(path.join(projectFolder(), 'dist'), keys), keys };
}

const TELL_EVERY_MS = 2_000;

/** Replay what is open in the client's namespace. Nothing there is changed, and no worker needs to run. */
export async function checkOpen(
  client: Client,
  code: Code,
  choice: Choice,
  progress: (sentence: string) => void,
): Promise<Report> {
  const total = choice.id === undefined ? await countOpen(client, choice) : 1;
  const wanted = Math.min(total, choice.limit ?? total, choice.sample ?? total);
  progress(`Replaying ${wanted} of ${total} that are open in ${client.options.namespace} …`);
  let last = Date.now();
  return reportOn(replayAll(openCases(client, choice), code), ({ replayed, broken }) => {
    if (Date.now() - last < TELL_EVERY_MS) return;
    last = Date.now();
    progress(`  ${replayed} of ${wanted}, ${broken.length} would break`);
  });
}
