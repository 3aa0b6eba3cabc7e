import { z } from 'zod';
import { type Agent, AgentFile } from '#contract/agent';
import type { Question, QuestionField } from '#contract/question';
import { advance, applyModelReply, type ModelReply, type NextStep } from '#core/conversation/advance';
import { type ConversationState, createConversationState, type NewConversation } from '#core/conversation/state';
import type { ContentBlock, ToolResultBlock } from '#core/transcript/transcript';
import { builtInTools } from '#tools/registry';
import type { Tool } from '#tools/tool';
import { createToolSet } from '#tools/tool-set';

export const START_TIME = Date.parse('2026-01-05T09:00:00.000Z');
export const ONE_HOUR = 3_600_000;

export function testAgent(questions: Partial<Agent['questions']> = {}): Agent {
  const file = AgentFile.parse({ name: 'clerk', description: 'Asks.', tools: ['write_todos', 'look_up'] });
  return { ...file, questions: { ...file.questions, ...questions }, prompt: 'Ask.' };
}

/** A tool that runs as an activity. */
export const lookUpTool: Tool = {
  name: 'look_up',
  description: 'Looks something up.',
  input: () => z.unknown(),
  execution: { kind: 'activity', runOnce: false, execute: async () => '' },
};

/** Another, which some agents may only use with confirmation. */
export const digTool: Tool = { ...lookUpTool, name: 'dig' };

export function startedConversation(start: Partial<NewConversation> = {}): ConversationState {
  const links = { self: '', events: '', web: '', temporal: '' };
  return createConversationState(
    { id: 'c-1', agent: testAgent(), message: 'Paint the shed.', links, ...start },
    START_TIME,
  );
}

export function toolUse(id: string, name: string, input: unknown): ContentBlock {
  return { type: 'tool_use', id, name, input };
}

/** Parses a model reply like the model activity does. */
export function modelReply(blocks: (string | ContentBlock)[], agent: Agent = testAgent()): ModelReply {
  const content = blocks.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block));
  const uses = content.flatMap((block) => (block.type === 'tool_use' ? [block as ContentBlock] : []));
  const calls = uses.map((block) =>
    createToolSet([...builtInTools, lookUpTool, digTool]).parseCall(block as never, agent),
  );
  return {
    content: content as ContentBlock[],
    calls,
    usage: { inputTokens: 10, outputTokens: 5, cachedTokens: 0, modelCalls: 1 },
  };
}

/** Applies a model reply and advances to the next step. */
export function modelSays(state: ConversationState, ...blocks: (string | ContentBlock)[]): NextStep {
  applyModelReply(state, modelReply(blocks, state.agent), START_TIME);
  return advance(state, START_TIME);
}

export const colourQuestion = { question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] };
export const sizesQuestion = {
  question: 'Which sizes?',
  options: [{ label: 'S' }, { label: 'M' }, { label: 'L' }],
  multiSelect: true,
  allowOther: false,
};
export const nameQuestion = { question: 'What name?' };

/** Returns a conversation that waits for the answer to these questions. */
export function askingConversation(
  questions: object[] = [colourQuestion],
  rest: object = {},
  start?: Partial<NewConversation>,
): ConversationState {
  const state = startedConversation(start);
  modelSays(state, toolUse('call-1', 'ask_user_question', { questions, ...rest }));
  return state;
}

/** Returns a conversation that waits for a confirmation. */
export function confirmingConversation(input: object = {}, start?: Partial<NewConversation>): ConversationState {
  const state = startedConversation(start);
  modelSays(state, toolUse('call-1', 'confirm_action', { action: 'Delete the shed?', ...input }));
  return state;
}

export function pendingQuestion(state: ConversationState): Question {
  if (!state.question) throw new Error('no question is open');
  return state.question;
}

export function resolvedQuestion(state: ConversationState): Question {
  if (!state.settledQuestion) throw new Error('no question was settled');
  return state.settledQuestion;
}

/** Returns the tool results of the last message for the model, after advancing. */
export function toolResultsIn(state: ConversationState): ToolResultBlock[] {
  advance(state, START_TIME);
  const content = state.transcript.at(-1)?.content ?? [];
  return content.flatMap((block) => (block.type === 'tool_result' ? [block as ToolResultBlock] : []));
}

/** Returns the JSON that the model reads as the result of its question. */
export function questionResultJson(state: ConversationState): unknown {
  const [result] = toolResultsIn(state);
  if (!result || result.is_error) throw new Error(`not a plain result: ${JSON.stringify(result)}`);
  return JSON.parse(result.content);
}

export function testField(rest: Partial<QuestionField> = {}): QuestionField {
  const plain = { multiSelect: false, allowOther: true, required: true };
  return { key: 'q1', header: 'Colour', question: 'Which colour?', ...plain, ...rest };
}

export function questionWithFields(...fields: QuestionField[]): Question {
  const state = askingConversation();
  return { ...pendingQuestion(state), fields };
}

export function cloneState(state: ConversationState): ConversationState {
  return JSON.parse(JSON.stringify(state));
}
