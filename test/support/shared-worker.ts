import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '#config';
import { createLog } from '#log';
import { type ModelRequest, type Reply, type Script, startRehearsal } from '#model/rehearsal';
import { startWorker } from '../../worker';
import { atProcessEnd } from './process-end';
import { installOnce } from './runtime';
import { fail, Player, type ScriptedModel } from './scripted-model';

export interface SharedWorker {
  taskQueue: string;
  /** What seals the agents of every API that shares the worker. */
  secret: string;
  /** The model as these agents see it. Where two tests have an agent of one name, the later one has it. */
  modelFor(agents: string[], replies: readonly (Reply | Script)[]): ScriptedModel;
}

let shared: Promise<SharedWorker> | undefined;

/**
 * The one worker of this process, for every test that needs no settings of its own: a worker costs half a second of CPU, an
 * API ten milliseconds. Tests are told apart by their agents.
 */
export function sharedWorker(): Promise<SharedWorker> {
  shared ??= start();
  return shared;
}

async function start(): Promise<SharedWorker> {
  const taskQueue = `shared-${randomBytes(5).toString('hex')}`;
  const secret = randomBytes(16).toString('hex');
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-shared-'));
  const casts: { agents: string[]; player: Player }[] = [];
  const model = await startRehearsal(
    (request) => {
      const agent = agentOf(request);
      const cast = casts.findLast(({ agents }) => agents.includes(agent));
      if (!cast) return fail(400, { message: `no test has an agent ${agent} any more` });
      const index = cast.player.requests.push(request) - 1;
      return cast.player.play(request, index);
    },
    { record: false },
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
  installOnce();
  const worker = await startWorker(config, createLog(process.env.PARLEY_TEST_LOG ?? 'silent'), { taskQueue });
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  atProcessEnd(async () => {
    await worker.stop();
    await model.stop();
  });
  return {
    taskQueue,
    secret,
    modelFor(agents, replies) {
      const player = new Player(replies);
      const cast = { agents, player };
      casts.push(cast);
      return player.model(model.url, player.requests, async () => {
        // A test may stop it twice.
        if (casts.includes(cast)) casts.splice(casts.indexOf(cast), 1);
      });
    },
  };
}

/** Each agent of a test has instructions that begin with its name. */
function agentOf({ body }: ModelRequest): string {
  return /You are ([\w-]+)\./.exec(JSON.stringify(body.system))?.[1] ?? '';
}
