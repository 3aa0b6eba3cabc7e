import type { ModelRequest, ScriptedReply } from '#models/demo/reply';
import { type DemoModelServer, startDemoModelServer } from '#models/demo/server';
import { createSeededRandom } from '../random';
import { createToolCalls, findScenarioName, type Scenario } from './scenario';

/** What the model was told in one conversation. */
export interface ModelLog {
  /** By the id of the call: every result it was ever given for it. More than one text means that it was told two things. */
  results: Map<string, Set<string>>;
  /** What was wrong with a request by itself. */
  faults: string[];
  /** The step that it played last, and how often it was asked for it. */
  step: number;
  attempts: number;
}

export interface FlakyModel {
  url: string;
  heard: Map<string, ModelLog>;
  /** How often it misbehaved, by how. */
  misbehaved: Map<string, number>;
  /** Be well-behaved from now on. */
  calm(): void;
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

export interface FlakyModelOptions {
  seed: string;
  /** By name, those of sub-agents too. */
  plays: Map<string, Scenario>;
  outsideHost: string;
  /** The model has just said its part of that play. */
  onPlayed(play: string): void;
}

/** A model that plays each conversation by its script, whatever attempt it is, and misbehaves by the seed. */
export async function startFlakyModel(craft: FlakyModelOptions): Promise<FlakyModel> {
  const heard = new Map<string, ModelLog>();
  const misbehaved = new Map<string, number>();
  let isCalm = false;
  const script = (request: ModelRequest): ScriptedReply => {
    const play = craft.plays.get(findScenarioName(JSON.stringify(request.body.messages[0])) ?? '');
    if (!play) return { error: { status: 400, message: 'This conversation has no play.' } };
    const log = heard.get(play.name) ?? { results: new Map(), faults: [], step: -1, attempts: 0 };
    heard.set(play.name, log);
    recordModelRequest(log, request);
    const whim = isCalm ? undefined : pickMisbehaviour(craft.seed, play.name, log);
    if (whim) misbehaved.set(whim.name, (misbehaved.get(whim.name) ?? 0) + 1);
    if (whim?.refusal) return whim.refusal;
    const calls = createToolCalls(play, log.step, log.attempts, craft.outsideHost);
    if (!whim?.manner?.cutAfter) craft.onPlayed(play.name);
    const text = calls.length === 0 ? `That was step ${log.step} of ${play.name}.` : undefined;
    return { text, calls, delayMs: 10, ...whim?.manner };
  };
  let server: DemoModelServer | undefined = await startDemoModelServer(script, { record: false });
  const { url } = server;
  const down = async () => {
    await server?.stop();
    server = undefined;
  };
  return {
    url,
    heard,
    misbehaved,
    calm() {
      isCalm = true;
    },
    down,
    async up() {
      server ??= await startDemoModelServer(script, { record: false, port: Number(new URL(url).port) });
    },
    stop: down,
  };
}

/** Note everything that it is told, and where it is by that: at the step after its last reply. */
function recordModelRequest(log: ModelLog, { body }: ModelRequest): void {
  const step = body.messages.filter(({ role }) => role === 'assistant').length;
  if (step < log.step) log.faults.push(`it was asked for step ${step} after step ${log.step}`);
  log.attempts = step === log.step ? log.attempts + 1 : 1;
  log.step = step;
  const seen = new Set<string>();
  for (const { content } of body.messages) {
    if (typeof content === 'string') continue;
    for (const block of content) {
      if (block.type !== 'tool_result') continue;
      if (seen.has(block.tool_use_id)) log.faults.push(`it was told of ${block.tool_use_id} twice at once`);
      seen.add(block.tool_use_id);
      const told = log.results.get(block.tool_use_id) ?? new Set<string>();
      log.results.set(block.tool_use_id, told.add(readToolResultText(block.content)));
    }
  }
}

function readToolResultText(content: unknown): string {
  if (typeof content === 'string') return content;
  return (content as { text?: string }[]).map(({ text = '' }) => text).join('');
}

interface Misbehaviour {
  name: string;
  refusal?: ScriptedReply;
  manner?: { delayMs?: number; chunkMs?: number; cutAfter?: number };
}

/** The first two attempts at a step may go wrong. More would only make its back-off longer. */
function pickMisbehaviour(seed: string, play: string, { step, attempts }: ModelLog): Misbehaviour | undefined {
  if (attempts > 2) return undefined;
  const chance = createSeededRandom(seed, 'model', play, step, attempts);
  const name = chance.weighted({ none: 84, slow: 6, '429': 3, '529': 3, cut: 4 });
  switch (name) {
    case 'slow':
      return { name, manner: { delayMs: chance.int(500, 3_000), chunkMs: chance.int(5, 100) } };
    case '429':
      return { name, refusal: { error: { status: 429, retryAfter: 1 } } };
    case '529':
      return { name, refusal: { error: { status: 529 } } };
    case 'cut':
      return { name, manner: { cutAfter: chance.int(1, 5) } };
    default:
      return undefined;
  }
}
