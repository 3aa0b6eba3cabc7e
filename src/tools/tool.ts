import type { z } from 'zod';
import type { Agent } from '#contract/agent';
import type { HttpClient } from '#infra/http-client/client';
import type { EnvironmentVariables } from './interpolate-variables';

/** What a tool that runs outside may use: it must stop when the signal says so. */
export interface ToolContext<Settings = unknown> {
  conversationId: string;
  callId: string;
  signal: AbortSignal;
  /** What the agent's file says beside the tool's name, as the tool's own schema read it. */
  settings: Settings;
  /** The way to the outside that keeps out of private networks. */
  network: HttpClient;
  /** For `${NAME}` in the agent's file. */
  variables: EnvironmentVariables;
  /** How long a result is worth having: more than usual where large ones are kept elsewhere. */
  resultLength?: number;
  /** A result of this conversation that was kept elsewhere; nothing where there is none of that handle. */
  readKept?(handle: string): Promise<string | undefined>;
}

/** How a tool runs: as a move of the conversation's state, outside as an activity, or as a conversation of its own. */
export type ToolExecution =
  | { as: 'ask' | 'confirm' | 'todos' | 'child' }
  | {
      as: 'activity';
      /** Must this call, as the schema read it, never run twice, even if the worker dies under it? */
      once: boolean | ((input: unknown) => boolean);
      use(input: unknown, context: ToolContext): Promise<string>;
    };

/** Does it put something to a person by itself? */
export function isAskingTool({ as }: ToolExecution): boolean {
  return as === 'ask' || as === 'confirm';
}

/** What an agent's sub-agents are for, by name. */
export type SubagentDescriptions = Record<string, string>;

export interface Tool {
  name: string;
  description: string | ((agent: Agent, team: SubagentDescriptions) => string);
  input(agent: Agent): z.ZodType;
  /** What may stand beside the tool's name in an agent's file. Nothing, unless it says so. */
  settings?: z.ZodType;
  running: ToolExecution;
  /** For every agent, and not for its file to name: there wherever it can work. */
  isForAll?: true;
}

interface ActivityToolDefinition<Input extends z.ZodType, Settings extends z.ZodType> {
  name: string;
  description: Tool['description'];
  input: Input;
  settings?: Settings;
  once: boolean | ((input: z.infer<Input>) => boolean);
  use(input: z.infer<Input>, context: ToolContext<z.infer<Settings>>): Promise<string>;
}

/** A tool that runs outside. It is handed what its schemas made of the call and of the agent's file. */
export function defineActivityTool<Input extends z.ZodType, Settings extends z.ZodType = z.ZodType>(
  tool: ActivityToolDefinition<Input, Settings>,
): Tool {
  const { name, description, input, settings, once, use } = tool;
  return {
    name,
    description,
    input: () => input,
    settings,
    running: {
      as: 'activity',
      once: typeof once === 'boolean' ? once : (read) => once(read as z.infer<Input>),
      use: (raw, context) => {
        const read = settings?.parse(context.settings ?? {}) as z.infer<Settings>;
        return use(input.parse(raw), { ...context, settings: read });
      },
    },
  };
}
