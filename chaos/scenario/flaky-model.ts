import type { ModelRequest, ScriptedReply } from '#models/demo/reply';
import { type DemoModelServer, startDemoModelServer } from '#models/demo/server';
import { createSeededRandom } from '../random';
import { createToolCalls, findScenarioName, type Scenario } from './scenario';

/** What the model received in one conversation. */
export interface ModelLog {
  /** All results that the model received, by call id. More than one means that they contradicted each other. */
  results: Map<string, Set<string>>;
  /** Problems in single requests. */
  problems: string[];
  /** The last step that it replied to, and the number of attempts. */
  step: number;
  attempts: number;
}

export interface FlakyModel {
  url: string;
  logs: Map<string, ModelLog>;
  /** Counts by kind of misbehaviour. */
  misbehaviourCounts: Map<string, number>;
  /** Stops misbehaving from now on. */
  stopMisbehaving(): void;
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

export interface FlakyModelOptions {
  seed: string;
  /** All scenarios by name, including those of sub-agents. */
  scenarios: Map<string, Scenario>;
  toolHost: string;
  /** Called when the model sends a reply of that scenario. */
  onStepPlayed(scenario: string): void;
}

/** Starts a model that replies by each conversation's scenario and misbehaves by the seed. */
export async function startFlakyModel(options: FlakyModelOptions): Promise<FlakyModel> {
  const logs = new Map<string, ModelLog>();
  const misbehaviourCounts = new Map<string, number>();
  let isWellBehaved = false;
  const script = (request: ModelRequest): ScriptedReply => {
    const scenario = options.scenarios.get(findScenarioName(JSON.stringify(request.body.messages[0])) ?? '');
    if (!scenario) return { error: { status: 400, message: 'This conversation has no scenario.' } };
    const log = logs.get(scenario.name) ?? { results: new Map(), problems: [], step: -1, attempts: 0 };
    logs.set(scenario.name, log);
    recordModelRequest(log, request);
    const misbehaviour = isWellBehaved ? undefined : pickMisbehaviour(options.seed, scenario.name, log);
    if (misbehaviour) misbehaviourCounts.set(misbehaviour.name, (misbehaviourCounts.get(misbehaviour.name) ?? 0) + 1);
    if (misbehaviour?.errorReply) return misbehaviour.errorReply;
    const calls = createToolCalls(scenario, log.step, log.attempts, options.toolHost);
    if (!misbehaviour?.replyOptions?.cutAfter) options.onStepPlayed(scenario.name);
    const text = calls.length === 0 ? `That was step ${log.step} of ${scenario.name}.` : undefined;
    return { text, calls, delayMs: 10, ...misbehaviour?.replyOptions };
  };
  let server: DemoModelServer | undefined = await startDemoModelServer(script, { recordRequests: false });
  const { url } = server;
  const down = async () => {
    await server?.stop();
    server = undefined;
  };
  return {
    url,
    logs,
    misbehaviourCounts,
    stopMisbehaving() {
      isWellBehaved = true;
    },
    down,
    async up() {
      server ??= await startDemoModelServer(script, { recordRequests: false, port: Number(new URL(url).port) });
    },
    stop: down,
  };
}

/** Records every tool result in the request, and the step: the one after the model's last reply. */
function recordModelRequest(log: ModelLog, { body }: ModelRequest): void {
  const step = body.messages.filter(({ role }) => role === 'assistant').length;
  if (step < log.step) log.problems.push(`the model was called for step ${step} after step ${log.step}`);
  log.attempts = step === log.step ? log.attempts + 1 : 1;
  log.step = step;
  const seen = new Set<string>();
  for (const { content } of body.messages) {
    if (typeof content === 'string') continue;
    for (const block of content) {
      if (block.type !== 'tool_result') continue;
      if (seen.has(block.tool_use_id)) log.problems.push(`the model got ${block.tool_use_id} twice in one call`);
      seen.add(block.tool_use_id);
      const results = log.results.get(block.tool_use_id) ?? new Set<string>();
      log.results.set(block.tool_use_id, results.add(readToolResultText(block.content)));
    }
  }
}

function readToolResultText(content: unknown): string {
  if (typeof content === 'string') return content;
  return (content as { text?: string }[]).map(({ text = '' }) => text).join('');
}

interface Misbehaviour {
  name: string;
  errorReply?: ScriptedReply;
  replyOptions?: { delayMs?: number; chunkMs?: number; cutAfter?: number };
}

/** Picks a misbehaviour for the first two attempts at a step. More would only prolong the back-off. */
function pickMisbehaviour(seed: string, scenarioName: string, { step, attempts }: ModelLog): Misbehaviour | undefined {
  if (attempts > 2) return undefined;
  const chance = createSeededRandom(seed, 'model', scenarioName, step, attempts);
  const name = chance.weighted({ none: 84, slow: 6, '429': 3, '529': 3, cut: 4 });
  switch (name) {
    case 'slow':
      return { name, replyOptions: { delayMs: chance.int(500, 3_000), chunkMs: chance.int(5, 100) } };
    case '429':
      return { name, errorReply: { error: { status: 429, retryAfter: 1 } } };
    case '529':
      return { name, errorReply: { error: { status: 529 } } };
    case 'cut':
      return { name, replyOptions: { cutAfter: chance.int(1, 5) } };
    default:
      return undefined;
  }
}
