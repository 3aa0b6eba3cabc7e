import type { Agent } from '#contract/agent';
import type { TokenUsage } from '#contract/conversation';
import type { ContentBlock, ToolDefinition, TranscriptMessage } from '#core/transcript/transcript';

/** The input of a model call, and the signal that cancels it. */
export interface ModelCall {
  /** The name of the agent, for the metrics. */
  agent: string;
  model: string;
  maxTokens: number;
  system: string;
  tools: ToolDefinition[];
  /** `off` thinks as little as the model allows. */
  thinking?: 'adaptive' | 'off';
  effort?: Agent['effort'];
  /** The next call may be long after this one, so that its prompt should stay in the cache. */
  waitsForPeople?: boolean;
  /** If `none`, the model must not call tools. They are still listed because the transcript contains calls of them. */
  toolChoice?: 'none';
  messages: TranscriptMessage[];
  signal: AbortSignal;
  /** Called when the model begins to think, or to write. */
  onThinking?(isThinking: boolean): void;
  /** Called with the complete text so far. */
  onText(text: string): void;
  /** Called with what the call has used so far, as an interrupted call is billed too. */
  onUsage?(usage: TokenUsage): void;
}

export interface ModelResponse {
  content: ContentBlock[];
  stopReason: string;
  /** Why the model refused, if it said so. */
  refusal?: string;
  /** How many earlier thinking blocks the API left out, since it found them invalid. */
  droppedThinking: number;
  usage: TokenUsage;
}

export interface Model {
  generate(call: ModelCall): Promise<ModelResponse>;
  /** Maximum number of input tokens; `undefined` until the provider has reported it. */
  contextWindow(model: string): number | undefined;
}

/** Why a model call failed, and whether a retry could help. */
export class ModelError extends Error {
  constructor(
    readonly code: 'model_rejected' | 'model_unauthorized' | 'model_unavailable' | 'model_overloaded',
    message: string,
    readonly retryAfterMs?: number,
    /** The request exceeds the model's context window. With the sizes, if the provider reported them. */
    readonly overflow?: { tokens?: number; limit?: number },
    /** HTTP status of the error, or its equivalent; `undefined` without a reply. */
    readonly status?: number,
    /** The API may accept the request without earlier thinking and without system messages about changes. */
    readonly isHistoryRejected = false,
  ) {
    super(message);
  }

  get isFinal(): boolean {
    return this.code === 'model_rejected' || this.code === 'model_unauthorized';
  }
}
