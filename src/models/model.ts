import type { ContentBlock, TranscriptMessage } from '#core/transcript/transcript';
import type { ToolDefinition } from '#tools/tool-set';

/** The input of a model call, and the signal that cancels it. */
export interface ModelCall {
  model: string;
  maxTokens: number;
  system: string;
  tools: ToolDefinition[];
  /** If `none`, the model must not call tools. They are still listed because the transcript contains calls of them. */
  toolChoice?: 'none';
  messages: TranscriptMessage[];
  signal: AbortSignal;
  /** Called with the complete text so far. */
  onText(text: string): void;
}

export interface ModelResponse {
  content: ContentBlock[];
  stopReason: string;
  usage: { inputTokens: number; outputTokens: number };
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
  ) {
    super(message);
  }

  get isFinal(): boolean {
    return this.code === 'model_rejected' || this.code === 'model_unauthorized';
  }
}
