import { z } from 'zod';
import { type Agent, AgentFile } from '#contract/agent';
import type { Field, Question } from '#contract/question';
import { type Beginning, type Block, begin, type State, type ToolResult } from '#core/state';
import { advance, hear, type Reply, type Step } from '#core/turn';
import { builtIn } from '#tools/registry';
import type { Tool } from '#tools/tool';
import { toolbox } from '#tools/toolbox';

export const NOW = Date.parse('2026-01-05T09:00:00.000Z');
export const HOUR = 3_600_000;

export function agent(questions: Partial<Agent['questions']> = {}): Agent {
  const file = AgentFile.parse({ name: 'clerk', description: 'Asks.', tools: ['write_todos', 'look_up'] });
  return { ...file, questions: { ...file.questions, ...questions }, prompt: 'Ask.' };
}

/** A tool that runs outside, as any that is not a move of the state. */
export const lookUp: Tool = {
  name: 'look_up',
  description: 'Looks something up.',
  input: () => z.unknown(),
  running: { as: 'activity', once: false, use: async () => '' },
};

/** Another, which some agents have to ask for. */
export const dig: Tool = { ...lookUp, name: 'dig' };

export function started(start: Partial<Beginning> = {}): State {
  const links = { self: '', events: '', web: '', temporal: '' };
  return begin({ id: 'c-1', agent: agent(), message: 'Paint the shed.', links, ...start }, NOW);
}

export function use(id: string, name: string, input: unknown): Block {
  return { type: 'tool_use', id, name, input };
}

/** What the model says, read as the model activity reads it. */
export function replyOf(blocks: (string | Block)[], of: Agent = agent()): Reply {
  const content = blocks.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block));
  const uses = content.flatMap((block) => (block.type === 'tool_use' ? [block as Block] : []));
  const calls = uses.map((block) => toolbox([...builtIn, lookUp, dig]).read(block as never, of));
  return { content: content as Block[], calls, usage: { inputTokens: 10, outputTokens: 5 } };
}

/** The model replies, and everything that needs no effect is done. */
export function says(state: State, ...blocks: (string | Block)[]): Step {
  hear(state, replyOf(blocks, state.agent), NOW);
  return advance(state, NOW);
}

export const colour = { question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] };
export const size = {
  question: 'Which sizes?',
  options: [{ label: 'S' }, { label: 'M' }, { label: 'L' }],
  multiSelect: true,
  allowOther: false,
};
export const name = { question: 'What name?' };

/** A conversation that waits for the answer to these questions. */
export function asking(questions: object[] = [colour], rest: object = {}, start?: Partial<Beginning>): State {
  const state = started(start);
  says(state, use('call-1', 'ask_user_question', { questions, ...rest }));
  return state;
}

/** A conversation that waits for a yes or no. */
export function confirming(input: object = {}, start?: Partial<Beginning>): State {
  const state = started(start);
  says(state, use('call-1', 'confirm_action', { action: 'Delete the shed?', ...input }));
  return state;
}

export function open(state: State): Question {
  if (!state.question) throw new Error('no question is open');
  return state.question;
}

export function settled(state: State): Question {
  if (!state.settled) throw new Error('no question was settled');
  return state.settled;
}

/** The tool results in what the model is about to read, which must have been handed over. */
export function results(state: State): ToolResult[] {
  advance(state, NOW);
  const content = state.transcript.at(-1)?.content ?? [];
  return content.flatMap((block) => (block.type === 'tool_result' ? [block as ToolResult] : []));
}

/** The JSON the model reads as the result of its question. */
export function heard(state: State): unknown {
  const [result] = results(state);
  if (!result || result.is_error) throw new Error(`not a plain result: ${JSON.stringify(result)}`);
  return JSON.parse(result.content);
}

export function field(rest: Partial<Field> = {}): Field {
  const plain = { multiSelect: false, allowOther: true, required: true };
  return { key: 'q1', header: 'Colour', question: 'Which colour?', ...plain, ...rest };
}

export function questionOf(...fields: Field[]): Question {
  const of = asking();
  return { ...open(of), fields };
}

export function copyOf(state: State): State {
  return JSON.parse(JSON.stringify(state));
}
