import { type Chance, chanceOf } from './chance';

/** One call of a tool that the model makes. */
export type PlannedCall =
  | {
      tool: 'ask';
      fields: FieldKind[];
      timeout: string;
      onTimeout: 'continue' | 'default' | 'fail';
      remind: boolean;
    }
  | { tool: 'confirm' }
  | { tool: 'todos' }
  | { tool: 'request'; method: 'GET' | 'POST'; takesMs: number; isHungUpOn: boolean }
  | { tool: 'delegate'; play: Play };

export type FieldKind = 'choice' | 'choices' | 'text' | 'number' | 'open choice';

/** What the model says at a turn: calls, or a text that ends it. */
export type Step = { calls: PlannedCall[] };

/** What one conversation does, whatever people and faults do to it. Its name is in its first message. */
export interface Play {
  name: string;
  agent: 'plain' | 'guarded' | 'lead' | 'helper';
  steps: Step[];
  /** How often it is taken up again after its end. */
  takeUps: number;
  /** Its first question waits until the faults are over, and people talk to it meanwhile. */
  isLong: boolean;
  isWatched: boolean;
}

const ENDING: Step = { calls: [] };

export function playOf(seed: string, number: number, isLong = false): Play {
  const chance = chanceOf(seed, 'play', number);
  const agent = isLong ? 'plain' : chance.weighted({ plain: 70, guarded: 20, lead: 10 });
  const takeUps = chance.weighted({ 0: 70, 1: 25, 2: 5 });
  const name = String(number);
  const parts = Array.from({ length: Number(takeUps) + 1 }, (_, part) => {
    const length = part === 0 ? chance.int(3, 7) : chance.int(1, 3);
    return [...stepsOf(chance, agent, length, name, part * 100), ENDING];
  });
  const steps = isLong ? [FORM, ...parts.flat()] : parts.flat();
  return { name, agent, steps, takeUps: Number(takeUps), isLong, isWatched: chance.percent(10) };
}

/** It can be answered by no message, and waits for ever. */
const FORM: Step = {
  calls: [
    { tool: 'ask', fields: ['choice', 'number'], timeout: 'never', onTimeout: 'continue', remind: false },
  ],
};

function stepsOf(chance: Chance, agent: Play['agent'], length: number, name: string, from: number): Step[] {
  return Array.from({ length }, (_, at) => {
    const calls = [callOf(chance, agent, `${name}s${from + at}`)];
    // What stands beside a question in one turn runs before it or after it.
    if (chance.percent(15)) calls.push(requestOf(chance));
    if (chance.percent(10)) calls.unshift({ tool: 'todos' });
    return { calls };
  });
}

function callOf(chance: Chance, agent: Play['agent'], name: string): PlannedCall {
  const kinds = { ask: 75, request: 15, confirm: 8, delegate: agent === 'lead' ? 25 : 0 };
  switch (chance.weighted(agent === 'guarded' ? { ...kinds, request: 60 } : kinds)) {
    case 'ask':
      return askOf(chance);
    case 'confirm':
      return { tool: 'confirm' };
    case 'delegate':
      return { tool: 'delegate', play: helperOf(chance, name) };
    default:
      return requestOf(chance);
  }
}

function askOf(chance: Chance): PlannedCall {
  const one: FieldKind = chance.weighted({
    choice: 50,
    choices: 15,
    text: 15,
    number: 10,
    'open choice': 10,
  });
  const fields: FieldKind[] = chance.percent(20)
    ? ([one, 'choice', 'number'].slice(0, chance.int(2, 3)) as FieldKind[])
    : [one];
  const timeout = chance.weighted({ never: 40, '1h': 45, '2s': 4, '3s': 6, '4s': 5 });
  const onTimeout = chance.weighted({ continue: 60, default: 30, fail: 10 });
  return { tool: 'ask', fields, timeout, onTimeout, remind: chance.percent(5) };
}

function requestOf(chance: Chance): PlannedCall {
  const takesMs = chance.weighted({ 0: 60, 300: 20, 2000: 20 });
  return {
    tool: 'request',
    method: chance.percent(75) ? 'POST' : 'GET',
    takesMs: Number(takesMs),
    isHungUpOn: chance.percent(5),
  };
}

function helperOf(chance: Chance, name: string): Play {
  const steps = [...stepsOf(chance, 'helper', chance.int(1, 2), name, 0), ENDING];
  return { name, agent: 'helper', steps, takeUps: 0, isLong: false, isWatched: false };
}

/** Stands in what is asked and called, so that everything can be traced to the turn it came from. */
export const refOf = (play: string, step: number, call: number) => `r${play}-${step}-${call}`;
const REF = /\br(\d+(?:s\d+)?)-(\d+)-(\d+)\b/;

export function readRef(text: string): { play: string; step: number; call: number } | undefined {
  const [, play, step, call] = REF.exec(text) ?? [];
  return play === undefined ? undefined : { play, step: Number(step), call: Number(call) };
}

export const openingOf = (play: Play) => `Play ${play.name}, please.`;
export const playIn = (text: string) => /Play (\d+(?:s\d+)?), please\./.exec(text)?.[1];
