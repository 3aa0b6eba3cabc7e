import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '#channels/read-config';
import { createLog } from '#infra/log';
import type { ModelRequest, ModelScript, ScriptedReply } from '#models/demo/reply';
import { startDemoModelServer } from '#models/demo/server';
import { onProcessEnd } from '#test/support/jest/process-end';
import { replyWithError, type ScriptedModel, ScriptPlayer } from '#test/support/scripted-model';
import { installTestRuntime } from '#test/support/temporal/runtime';
import { startWorker } from '#worker/start-worker';

export interface SharedTestWorker {
  taskQueue: string;
  /** The PARLEY_SECRET of every API that shares the worker. */
  secret: string;
  /**
   * Returns a scripted model for these agents. If two tests have agents of the same name, the later test gets the
   * requests.
   */
  modelFor(agents: string[], replies: readonly (ScriptedReply | ModelScript)[]): ScriptedModel;
}

let shared: Promise<SharedTestWorker> | undefined;

/**
 * Returns the worker of this process, for tests without worker settings of their own: a worker costs half a second of
 * CPU, an API ten milliseconds. Tests are distinguished by their agents.
 */
export function getSharedWorker(): Promise<SharedTestWorker> {
  shared ??= startSharedWorker();
  return shared;
}

async function startSharedWorker(): Promise<SharedTestWorker> {
  const taskQueue = `shared-${randomBytes(5).toString('hex')}`;
  const secret = randomBytes(32).toString('hex');
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-shared-'));
  const agentGroups: { agents: string[]; player: ScriptPlayer }[] = [];
  const model = await startDemoModelServer(
    (request) => {
      const agent = readAgentName(request);
      const group = agentGroups.findLast(({ agents }) => agents.includes(agent));
      if (!group) return replyWithError(400, { message: `no test has an agent ${agent} any more` });
      const index = group.player.requests.push(request) - 1;
      return group.player.reply(request, index);
    },
    { recordRequests: false },
  );
  const config = readConfig({
    PARLEY_DATA: folder,
    PARLEY_SECRET: secret,
    PARLEY_AGENTS: folder,
    TEMPORAL_ADDRESS: process.env.PARLEY_TEST_ADDRESS,
    PARLEY_ENCRYPTION_KEYS: process.env.PARLEY_TEST_ENCRYPTION,
    ANTHROPIC_API_KEY: 'test',
    ANTHROPIC_BASE_URL: model.url,
  });
  installTestRuntime();
  const worker = await startWorker(config, createLog(process.env.PARLEY_TEST_LOG ?? 'silent'), { taskQueue });
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  onProcessEnd(async () => {
    await worker.stop();
    await model.stop();
  });
  return {
    taskQueue,
    secret,
    modelFor(agents, replies) {
      const player = new ScriptPlayer(replies);
      const group = { agents, player };
      agentGroups.push(group);
      return player.toScriptedModel(model.url, player.requests, async () => {
        // A test may stop it twice.
        if (agentGroups.includes(group)) agentGroups.splice(agentGroups.indexOf(group), 1);
      });
    },
  };
}

/** The instructions of test agents begin with their names. */
function readAgentName({ body }: ModelRequest): string {
  return /You are ([\w-]+)\./.exec(JSON.stringify(body.system))?.[1] ?? '';
}
