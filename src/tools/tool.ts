import type { z } from 'zod';
import type { Agent } from '#contract/agent';
import type { HttpClient } from '#infra/http-client/client';
import type { EnvironmentVariables } from './interpolate-variables';

/** What a tool that runs as an activity may use. It must stop when the signal aborts. */
export interface ToolContext<Settings = unknown> {
  conversationId: string;
  callId: string;
  signal: AbortSignal;
  /** The settings in the agent file, parsed by the tool's own schema. */
  settings: Settings;
  /** HTTP client that blocks access to private networks. */
  network: HttpClient;
  /** Values for `${NAME}` in the agent file. */
  variables: EnvironmentVariables;
  /** Longer results are truncated. Higher than usual if large results are stored elsewhere. */
  maxResultLength?: number;
  /** Reads a stored result of this conversation; `undefined` if no result has that handle. */
  readStoredResult?(handle: string): Promise<string | undefined>;
}

/** Whether something holds for every call of a tool, or for which input. */
export type CallTrait<Input = unknown> = boolean | ((input: Input) => boolean);

/** How a tool runs: as a change of the conversation's state, as an activity, or as a child conversation. */
export type ToolExecution =
  | { kind: 'ask' | 'confirm' | 'todos' | 'child' }
  | {
      kind: 'activity';
      /** Whether this call, as the schema parsed it, must never run twice, even if its worker dies. */
      runOnce: CallTrait;
      /** Whether this call may change or delete things; its confirmation then looks dangerous. */
      destructive?: CallTrait;
      execute(input: unknown, context: ToolContext): Promise<string>;
    };

export function isAskingTool({ kind }: ToolExecution): boolean {
  return kind === 'ask' || kind === 'confirm';
}

/** Descriptions of an agent's sub-agents, by name. */
export type SubagentDescriptions = Record<string, string>;

export interface Tool {
  name: string;
  description: string | ((agent: Agent, subagentDescriptions: SubagentDescriptions) => string);
  input(agent: Agent): z.ZodType;
  /** Schema of the settings beside the tool's name in an agent file; none by default. */
  settings?: z.ZodType;
  execution: ToolExecution;
  /** Available to every agent; agent files must not name it. */
  isAlwaysAvailable?: true;
}

interface ActivityToolDefinition<Input extends z.ZodType, Settings extends z.ZodType> {
  name: string;
  description: Tool['description'];
  input: Input;
  settings?: Settings;
  runOnce: CallTrait<z.infer<Input>>;
  destructive?: CallTrait<z.infer<Input>>;
  execute(input: z.infer<Input>, context: ToolContext<z.infer<Settings>>): Promise<string>;
}

/** Defines a tool that runs as an activity. `execute` gets the input and settings parsed by its schemas. */
export function defineActivityTool<Input extends z.ZodType, Settings extends z.ZodType = z.ZodType>(
  tool: ActivityToolDefinition<Input, Settings>,
): Tool {
  const { name, description, input, settings, runOnce, destructive = false, execute } = tool;
  return {
    name,
    description,
    input: () => input,
    settings,
    execution: {
      kind: 'activity',
      runOnce: runOnce as CallTrait,
      destructive: destructive as CallTrait,
      execute: (rawInput, context) => {
        const parsedSettings = settings?.parse(context.settings ?? {}) as z.infer<Settings>;
        return execute(input.parse(rawInput), { ...context, settings: parsedSettings });
      },
    },
  };
}
