import { type ModelRequest, type Rehearsal, type Reply, startRehearsal } from '#model/rehearsal';
import { callsOf } from './calls';
import { chanceOf } from './chance';
import { type Play, playIn } from './play';

/** What the model was told in one conversation. */
export interface Heard {
  /** By the id of the call: every result it was ever given for it. More than one text means that it was told two things. */
  results: Map<string, Set<string>>;
  /** What was wrong with a request by itself. */
  faults: string[];
  /** The step that it played last, and how often it was asked for it. */
  step: number;
  attempts: number;
}

export interface Model {
  url: string;
  heard: Map<string, Heard>;
  /** How often it misbehaved, by how. */
  misbehaved: Map<string, number>;
  /** Be well-behaved from now on. */
  calm(): void;
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

export interface Stagecraft {
  seed: string;
  /** By name, those of sub-agents too. */
  plays: Map<string, Play>;
  outsideHost: string;
  /** The model has just said its part of that play. */
  onPlayed(play: string): void;
}

/** A model that plays each conversation by its script, whatever attempt it is, and misbehaves by the seed. */
export async function startModel(craft: Stagecraft): Promise<Model> {
  const heard = new Map<string, Heard>();
  const misbehaved = new Map<string, number>();
  let isCalm = false;
  const script = (request: ModelRequest): Reply => {
    const play = craft.plays.get(playIn(JSON.stringify(request.body.messages[0])) ?? '');
    if (!play) return { error: { status: 400, message: 'This conversation has no play.' } };
    const log = heard.get(play.name) ?? { results: new Map(), faults: [], step: -1, attempts: 0 };
    heard.set(play.name, log);
    listen(log, request);
    const whim = isCalm ? undefined : whimOf(craft.seed, play.name, log);
    if (whim) misbehaved.set(whim.name, (misbehaved.get(whim.name) ?? 0) + 1);
    if (whim?.refusal) return whim.refusal;
    const calls = callsOf(play, log.step, log.attempts, craft.outsideHost);
    if (!whim?.manner?.cutAfter) craft.onPlayed(play.name);
    const text = calls.length === 0 ? `That was step ${log.step} of ${play.name}.` : undefined;
    return { text, calls, delayMs: 10, ...whim?.manner };
  };
  let server: Rehearsal | undefined = await startRehearsal(script, { record: false });
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
      server ??= await startRehearsal(script, { record: false, port: Number(new URL(url).port) });
    },
    stop: down,
  };
}

/** Note everything that it is told, and where it is by that: at the step after its last reply. */
function listen(log: Heard, { body }: ModelRequest): void {
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
      log.results.set(block.tool_use_id, told.add(textOf(block.content)));
    }
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return (content as { text?: string }[]).map(({ text = '' }) => text).join('');
}

interface Whim {
  name: string;
  refusal?: Reply;
  manner?: { delayMs?: number; chunkMs?: number; cutAfter?: number };
}

/** The first two attempts at a step may go wrong. More would only make its back-off longer. */
function whimOf(seed: string, play: string, { step, attempts }: Heard): Whim | undefined {
  if (attempts > 2) return undefined;
  const chance = chanceOf(seed, 'model', play, step, attempts);
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
