import { createSeededRandom, type SeededRandom } from '../random';

/** One tool call of the model. */
export type PlannedToolCall =
  | {
      tool: 'ask';
      fields: ScenarioFieldKind[];
      timeout: string;
      onTimeout: 'continue' | 'default' | 'fail';
      remind: boolean;
    }
  | { tool: 'confirm' }
  | { tool: 'todos' }
  | { tool: 'request'; method: 'GET' | 'POST'; takesMs: number; isHungUpOn: boolean }
  | { tool: 'delegate'; play: Scenario };

type ScenarioFieldKind = 'choice' | 'choices' | 'text' | 'number' | 'open choice';

/** The model's turn: tool calls, or a final text if there are none. */
export type ScenarioStep = { calls: PlannedToolCall[] };

/** The course of one conversation, independent of users and faults. Its name is in its first message. */
export interface Scenario {
  name: string;
  agent: 'plain' | 'guarded' | 'lead' | 'helper';
  steps: ScenarioStep[];
  /** How often it is reopened after its end. */
  reopenings: number;
  /** Its first question stays open until the faults are over, while users send messages. */
  isLong: boolean;
  isWatched: boolean;
}

const END_STEP: ScenarioStep = { calls: [] };

export function createScenario(seed: string, number: number, isLong = false): Scenario {
  const chance = createSeededRandom(seed, 'play', number);
  const agent = isLong ? 'plain' : chance.weighted({ plain: 70, guarded: 20, lead: 10 });
  const reopenings = chance.weighted({ 0: 70, 1: 25, 2: 5 });
  const name = String(number);
  const parts = Array.from({ length: Number(reopenings) + 1 }, (_, part) => {
    const length = part === 0 ? chance.int(3, 7) : chance.int(1, 3);
    return [...createSteps(chance, agent, length, name, part * 100), END_STEP];
  });
  const steps = isLong ? [FORM_STEP, ...parts.flat()] : parts.flat();
  return { name, agent, steps, reopenings: Number(reopenings), isLong, isWatched: chance.percent(10) };
}

/** Cannot be answered by a message, and never expires. */
const FORM_STEP: ScenarioStep = {
  calls: [{ tool: 'ask', fields: ['choice', 'number'], timeout: 'never', onTimeout: 'continue', remind: false }],
};

function createSteps(
  chance: SeededRandom,
  agent: Scenario['agent'],
  length: number,
  name: string,
  from: number,
): ScenarioStep[] {
  return Array.from({ length }, (_, index) => {
    const calls = [createPlannedCall(chance, agent, `${name}s${from + index}`)];
    // Other calls of the same turn run before or after the question.
    if (chance.percent(15)) calls.push(createRequestCall(chance));
    if (chance.percent(10)) calls.unshift({ tool: 'todos' });
    return { calls };
  });
}

function createPlannedCall(chance: SeededRandom, agent: Scenario['agent'], name: string): PlannedToolCall {
  const kinds = { ask: 75, request: 15, confirm: 8, delegate: agent === 'lead' ? 25 : 0 };
  switch (chance.weighted(agent === 'guarded' ? { ...kinds, request: 60 } : kinds)) {
    case 'ask':
      return createAskCall(chance);
    case 'confirm':
      return { tool: 'confirm' };
    case 'delegate':
      return { tool: 'delegate', play: createSubAgentScenario(chance, name) };
    default:
      return createRequestCall(chance);
  }
}

function createAskCall(chance: SeededRandom): PlannedToolCall {
  const one: ScenarioFieldKind = chance.weighted({
    choice: 50,
    choices: 15,
    text: 15,
    number: 10,
    'open choice': 10,
  });
  const fields: ScenarioFieldKind[] = chance.percent(20)
    ? ([one, 'choice', 'number'].slice(0, chance.int(2, 3)) as ScenarioFieldKind[])
    : [one];
  const timeout = chance.weighted({ never: 40, '1h': 45, '2s': 4, '3s': 6, '4s': 5 });
  const onTimeout = chance.weighted({ continue: 60, default: 30, fail: 10 });
  return { tool: 'ask', fields, timeout, onTimeout, remind: chance.percent(5) };
}

function createRequestCall(chance: SeededRandom): PlannedToolCall {
  const takesMs = chance.weighted({ 0: 60, 300: 20, 2000: 20 });
  return {
    tool: 'request',
    method: chance.percent(75) ? 'POST' : 'GET',
    takesMs: Number(takesMs),
    isHungUpOn: chance.percent(5),
  };
}

function createSubAgentScenario(chance: SeededRandom, name: string): Scenario {
  const steps = [...createSteps(chance, 'helper', chance.int(1, 2), name, 0), END_STEP];
  return { name, agent: 'helper', steps, reopenings: 0, isLong: false, isWatched: false };
}

/** Reference in questions and requests, to trace them to the turn that they came from. */
const formatCallRef = (play: string, step: number, call: number) => `r${play}-${step}-${call}`;
const CALL_REF = /\br(\d+(?:s\d+)?)-(\d+)-(\d+)\b/;

export function parseCallRef(text: string): { play: string; step: number; call: number } | undefined {
  const [, play, step, call] = CALL_REF.exec(text) ?? [];
  return play === undefined ? undefined : { play, step: Number(step), call: Number(call) };
}

export const formatOpeningMessage = (scenario: Scenario) => `Play ${scenario.name}, please.`;
export const findScenarioName = (text: string) => /Play (\d+(?:s\d+)?), please\./.exec(text)?.[1];

const COLOUR_OPTIONS = ['Red', 'Green', 'Blue'].map((label) => ({ label }));
const ORDINALS = ['first', 'second', 'third'];

/** Creates the tool calls of a turn. Each attempt at the turn has different ids, as with a real model. */
export function createToolCalls(scenario: Scenario, step: number, attempt: number, host: string) {
  const planned = scenario.steps[step]?.calls ?? [];
  return planned.map((call, index) => ({
    id: `toolu_${scenario.name}_${step}_${index}_${attempt}`,
    ...toToolCall(call, formatCallRef(scenario.name, step, index), host),
  }));
}

function toToolCall(call: PlannedToolCall, ref: string, host: string): { name: string; input: unknown } {
  switch (call.tool) {
    case 'ask': {
      const questions = call.fields.map((kind, index) =>
        createFieldInput(kind, `Which is the ${ORDINALS[index]} (${ref})?`),
      );
      const { timeout, onTimeout } = call;
      return {
        name: 'ask_user_question',
        input: { questions, timeout, onTimeout, ...(call.remind ? { remind: ['1s'] } : {}) },
      };
    }
    case 'confirm':
      return { name: 'confirm_action', input: { action: `Do it (${ref})`, arguments: { ref } } };
    case 'todos':
      return { name: 'write_todos', input: { todos: [{ content: `Do ${ref}`, status: 'pending' }] } };
    case 'request': {
      const hangUp = call.isHungUpOn ? '&hangUp=1' : '';
      const url = `http://${host}/run/${ref}?takes=${call.takesMs}${hangUp}`;
      return { name: 'http_request', input: { url, method: call.method } };
    }
    case 'delegate':
      return { name: 'delegate', input: { agent: 'helper', task: formatOpeningMessage(call.play) } };
  }
}

function createFieldInput(kind: ScenarioFieldKind, question: string): object {
  switch (kind) {
    case 'choice':
      return { question, options: COLOUR_OPTIONS, allowOther: false, default: 'Red' };
    case 'open choice':
      return { question, options: COLOUR_OPTIONS, default: 'Red' };
    case 'choices':
      return { question, options: COLOUR_OPTIONS, allowOther: false, multiSelect: true, default: ['Red'] };
    case 'number':
      return { question, schema: { type: 'integer', minimum: 1, maximum: 100 }, default: 7 };
    case 'text':
      return { question, default: 'nothing' };
  }
}
