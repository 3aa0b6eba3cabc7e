import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { writeHistory } from '#replay/recorded';
import type { Finding } from './invariants/evidence';

const MOST = 30;

/** What Temporal has to say to the findings, since it goes with its server: every run of those conversations, and its logs. */
export async function takeDown(
  client: Client,
  { folder, findings }: { folder: string; findings: Finding[] },
): Promise<void> {
  const conversations = [...new Set(findings.map(({ conversation }) => conversation))];
  if (conversations.length === 0) return;
  keepLogs(folder);
  const histories = path.join(folder, 'histories');
  mkdirSync(histories);
  for (const id of conversations.slice(0, MOST)) await keepHistories(client, histories, id);
}

function keepLogs(folder: string): void {
  const server = path.join(folder, 'temporal');
  for (const name of readdirSync(server).filter((file) => file.endsWith('.log')))
    copyFileSync(path.join(server, name), path.join(folder, name));
}

/** As `npm run replay` takes them. The first run has the lowest number. What waits for a worker is not in a history: it is told beside the newest. */
async function keepHistories(client: Client, folder: string, id: string): Promise<void> {
  const runs: string[] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${id}'` })) runs.unshift(runId);
  for (const [place, runId] of runs.entries()) {
    const history = await client.workflow.getHandle(id, runId).fetchHistory();
    writeHistory(path.join(folder, `${id}-${place + 1}.pb.gz`), history);
  }
  const { pendingWorkflowTask, pendingActivities } = (await client.workflow.getHandle(id).describe()).raw;
  const pending = { pendingWorkflowTask, pendingActivities };
  writeFileSync(path.join(folder, `${id}-pending.json`), JSON.stringify(pending, null, 1));
}
