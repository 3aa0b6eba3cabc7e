import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '#infra/config';
import type { ShutdownHooks } from '#infra/lifecycle';
import { startOrphanReaper } from '#test/support/temporal-postgres/orphan-reaper';
import type { TemporalServer } from '#test/support/temporal-postgres/server-process';
import { startPostgresServer } from '#test/support/temporal-postgres/start-postgres-server';
import { type ParleyCluster, startCluster } from './cluster/cluster';
import { createBuildSequence } from './cluster/mutated-builds';
import { watchSupervisedProcesses } from './cluster/supervised-process';
import { restartCrashedProcesses, startRestartableDevServer } from './cluster/temporal-server';
import { createModelCues, type ModelCues } from './context';
import type { ChaosOptions } from './options';
import { type FlakyModel, startFlakyModel } from './scenario/flaky-model';
import type { Scenario } from './scenario/scenario';
import { type CountingToolServer, startCountingToolServer } from './scenario/tool-server';

/** Everything that a run needs. */
export interface ChaosEnvironment {
  folder: string;
  server: TemporalServer;
  toolServer: CountingToolServer;
  model: FlakyModel;
  cluster: ParleyCluster;
  scenarios: Map<string, Scenario>;
  cues: ModelCues;
  /** Processes that ended though no fault was injected into them. */
  crashedProcesses: string[];
}

/** Makes conversations continue as new every few questions instead of after thousands. */
const EARLY_CONTINUE_AS_NEW = 'limit.historyCount.suggestContinueAsNew=60';

export async function setUpChaos(
  options: ChaosOptions,
  cleanup: ShutdownHooks,
  log: (line: string) => void,
): Promise<ChaosEnvironment> {
  const folder = createRunFolder(options);
  const builds = await createBuildSequence(folder, options.plant);
  const server = await startTemporalServer(options, path.join(folder, 'temporal'), log);
  cleanup.push(server.stop);
  const crashedProcesses: string[] = [];
  const onEnded = (name: string, how = 'of itself') => {
    log(`${name} exited unexpectedly: ${how}.`);
    crashedProcesses.push(`${name} (${how})`);
  };
  const restarter = restartCrashedProcesses(server, onEnded);
  cleanup.push(async () => restarter.stop());
  reapOrphansOnExit(folder, cleanup);
  const toolServer = await startCountingToolServer();
  cleanup.push(toolServer.stop);
  writeChaosAgents(folder, toolServer.host);
  const scenarios = new Map<string, Scenario>();
  const cues = createModelCues();
  const model = await startFlakyModel({
    seed: options.seed,
    scenarios,
    toolHost: toolServer.host,
    onStepPlayed: cues.signal,
  });
  cleanup.push(model.stop);
  log('Starting two APIs and two workers.');
  const cluster = await startCluster({
    folder,
    address: server.address,
    modelUrl: model.url,
    toolHost: toolServer.host,
    builds,
    apis: 2,
    workers: 2,
    onEnded,
  });
  cleanup.push(cluster.end);
  return { folder, server, toolServer, model, cluster, scenarios, cues, crashedProcesses };
}

/** Ends all processes even if this one is killed. */
function reapOrphansOnExit(folder: string, cleanup: ShutdownHooks): void {
  const reaper = startOrphanReaper(path.join(folder, 'data'));
  cleanup.push(async () => reaper.dismiss());
  watchSupervisedProcesses(reaper.watch);
}

function startTemporalServer(
  { server }: ChaosOptions,
  folder: string,
  log: (line: string) => void,
): Promise<TemporalServer> {
  const dynamicConfig = [EARLY_CONTINUE_AS_NEW];
  mkdirSync(folder);
  if (server === 'postgres') return startPostgresServer({ folder, log, dynamicConfig });
  log("Starting Temporal's dev server.");
  return startRestartableDevServer(folder, dynamicConfig);
}

function createRunFolder({ folder, seed }: ChaosOptions): string {
  if (folder === undefined) {
    const created = mkdtempSync(path.join(tmpdir(), `parley-chaos-${seed}-`));
    // PostgreSQL does not run as root, and needs access to the folders below.
    chmodSync(created, 0o755);
    return created;
  }
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new ConfigError(`${folder} is not empty: use an empty folder.`);
  return path.resolve(folder);
}

export function removeRunFolder({ folder }: Pick<ChaosEnvironment, 'folder'>): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Writes the agents, one for each variant of settings. */
function writeChaosAgents(folder: string, host: string): void {
  const request = (more = '') => `tools:\n  - write_todos\n  - name: http_request\n    hosts: ["${host}"]${more}`;
  const guarded = request('\n    requiresConfirmation: true');
  const asking = 'questions: { perTurn: 1000, perConversation: 10000 }';
  const agents = {
    plain: [request(), asking],
    guarded: [guarded, asking],
    lead: [request(), asking, 'subagents: [helper]'],
    helper: [request(), asking],
    assistant: [],
  };
  const agentsFolder = path.join(folder, 'agents');
  mkdirSync(agentsFolder, { recursive: true });
  for (const [name, frontMatter] of Object.entries(agents)) {
    const lines = [`name: ${name}`, 'description: Plays its part.', ...frontMatter].join('\n');
    writeFileSync(path.join(agentsFolder, `${name}.md`), `---\n${lines}\n---\nYou are ${name}.\n`);
  }
}
