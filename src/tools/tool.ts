import type { z } from 'zod';
import type { Agent } from '../contract/agent';

/** What a tool that runs outside may use: it must stop when the signal says so. */
export interface ToolContext {
  conversationId: string;
  callId: string;
  signal: AbortSignal;
}

/** How a tool runs: as a move of the conversation's state, or outside as an activity. */
export type Running =
  | { as: 'ask' | 'confirm' | 'todos' }
  | {
      as: 'activity';
      /** Must it never run twice, even if the worker dies under it? */
      once: boolean;
      use(input: unknown, context: ToolContext): Promise<string>;
    };

export interface Tool {
  name: string;
  description: string;
  input(agent: Agent): z.ZodType;
  running: Running;
}
