import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { readConfig } from '#config';
import type { Cleanup } from '#process';
import { lazyClient } from '#temporal/connect';
import { chanceOf } from './chance';
import { gather } from './crowd';
import { readExport } from './exports';
import { figuresOf } from './figures';
import type { Flags } from './flags';
import { check, ENDS } from './invariants/check';
import type { Finding } from './invariants/evidence';
import { createLedger, repliesOf, type Story } from './ledger';
import { sendAgain } from './person';
import type { Outcome } from './report';
import { type Stage, setStage } from './stage';
import { type Blow, storm } from './storm';
import { takeDown } from './testimony';
import type { World } from './world';

const PROGRESS_MS = 15_000;
const AT_ONCE = 8;

/** Set it up, let people and faults loose on it, let it come to rest, and look whether every promise was kept. */
export async function run(
  flags: Flags,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Outcome & { folder: string }> {
  const stage = await setStage(flags, cleanup, say);
  const world: World = {
    seed: flags.seed,
    patienceMs: flags.patienceMs,
    apis: stage.fleet.urls,
    ledger: createLedger(),
    model: stage.model,
    stage: stage.cues,
  };
  const blows = await weather(flags, stage, world, say);
  say('Everybody is done. Asking again about what was kept, and reading every conversation.');
  await askAgain(world);
  const findings = await judge(world, stage);
  const { stories } = world.ledger;
  const client = lazyClient(readConfig({ TEMPORAL_ADDRESS: stage.server.address }).temporal);
  cleanup.push(() => client.connection.close());
  const outcome = {
    seed: flags.seed,
    minutes: flags.minutes,
    server: flags.server === 'dev' ? 'its dev server' : 'PostgreSQL',
    figures: figuresOf(stories, blows),
    findings,
    rollOvers: await countRollOvers(client),
    toolRuns: [...stage.outside.runs.values()].reduce((sum, times) => sum + times, 0),
    misbehaved: stage.model.misbehaved,
    ended: stage.ended,
  };
  const ledger = stories.map(({ loose: _, ...story }) => ({ ...story, helpers: [...story.helpers] }));
  writeFileSync(path.join(stage.folder, 'ledger.json'), JSON.stringify({ blows, findings, ledger }, null, 1));
  await takeDown(client, { folder: stage.folder, findings }).catch((error: Error) =>
    say(`What Temporal has on it could not be kept: ${error.message}`),
  );
  return { ...outcome, folder: stage.folder };
}

/** Faults and people at once; then the people alone, until they are done. */
async function weather(
  flags: Flags,
  stage: Stage,
  world: World,
  say: (line: string) => void,
): Promise<Blow[]> {
  const began = Date.now();
  const clock = () => `${((Date.now() - began) / 1_000).toFixed(0).padStart(5)} s`;
  const enough = new AbortController();
  const long = Math.max(2, Math.round(flags.conversations / 6));
  const people = gather(world, { size: flags.conversations, long, plays: stage.plays });
  const telling = setInterval(() => say(`${clock()}  ${progressOf(world)}`), PROGRESS_MS);
  try {
    await untilUnderWay(world);
    if (!flags.rounds) stopAfter(enough, flags.minutes * 60_000);
    const { seed, gapMs, rounds } = flags;
    const settings = { seed, gapMs, rounds, say: (fault: string) => say(`${clock()}  ${fault}`) };
    const blows = await Promise.race([storm(stage, settings, enough.signal), people.then(() => [])]);
    stage.model.calm();
    world.overSince = Date.now();
    say(`${clock()}  no more faults; ${progressOf(world)}`);
    await people;
    return blows;
  } finally {
    clearInterval(telling);
    enough.abort();
  }
}

/** Faults begin when there is something to lose. */
async function untilUnderWay(world: World): Promise<void> {
  const patience = Date.now() + 60_000;
  const isAnswered = ({ acts }: Story) =>
    acts.some((act) => act.question && repliesOf(act).some(({ status }) => status === 200));
  while (!world.ledger.stories.some(isAnswered)) {
    if (Date.now() > patience)
      throw new Error('Nobody could answer anything, though there were no faults yet.');
    await pause(100);
  }
}

function stopAfter(enough: AbortController, ms: number): void {
  const timer = setTimeout(() => enough.abort(), ms);
  enough.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
}

function progressOf({ ledger: { stories } }: World): string {
  const acts = stories.flatMap((story) => story.acts);
  const answered = acts.filter(
    (act) => act.question && repliesOf(act).some(({ status }) => status === 200 || status === 202),
  );
  return `${stories.length} conversations, ${answered.length} answers acknowledged`;
}

/** What was kept and not confirmed: by now somebody can tell what became of it. */
async function askAgain(world: World): Promise<void> {
  const chance = chanceOf(world.seed, 'asking again');
  const acts = world.ledger.stories.flatMap((story) => story.acts);
  const unsure = acts.filter(
    (act) =>
      act.isKeyed && act.deed !== 'message' && act.deed !== 'start' && repliesOf(act).at(-1)?.status === 202,
  );
  await eachOf(unsure, (act) => sendAgain(world, act, chance));
}

async function judge(world: World, { plays, model, outside }: Stage): Promise<Finding[]> {
  const findings: Finding[] = [];
  const chance = chanceOf(world.seed, 'judge');
  await eachOf(world.ledger.stories, async (story: Story) => {
    const read = await Promise.all(
      [story.conversation, ...story.helpers].map((id) => readExport(world, id, chance)),
    );
    const unread = read.filter((document) => typeof document === 'string');
    const documents = read.filter((document) => typeof document !== 'string');
    const { conversation } = story;
    if (unread.length > 0)
      for (const what of [...unread.map((why) => `it cannot be read: ${why}`), ...story.troubles])
        findings.push({ promise: ENDS, conversation, what });
    if (unread.length > 0) return;
    findings.push(...check({ story, documents, plays, heard: model.heard, runs: outside.runs }));
  });
  return findings;
}

async function eachOf<T>(all: T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const takeOn = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeOn));
}

/** Visibility knows of them a moment later. */
async function countRollOvers(client: Client): Promise<number> {
  await pause(1_000);
  const query = "ExecutionStatus = 'ContinuedAsNew'";
  const { count } = await client.workflowService.countWorkflowExecutions({ namespace: 'default', query });
  return Number(count);
}
