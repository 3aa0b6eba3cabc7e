import type { ContentBlock, TranscriptMessage } from '#core/transcript/transcript';
import type { ToolDefinition } from '#tools/tool-set';

/** One call of a model: what it reads, and how it is cancelled. */
export interface ModelCall {
  model: string;
  maxTokens: number;
  system: string;
  tools: ToolDefinition[];
  /** Set to `none`: the tools are listed because the transcript has calls of them, but the model must not call any. */
  toolChoice?: 'none';
  messages: TranscriptMessage[];
  signal: AbortSignal;
  /** Called with everything written so far. */
  onText(text: string): void;
}

export interface ModelResponse {
  content: ContentBlock[];
  stopReason: string;
  usage: { inputTokens: number; outputTokens: number };
}

export interface Model {
  generate(call: ModelCall): Promise<ModelResponse>;
  /** How many tokens the model reads at most; `undefined` until the provider has reported it. */
  contextWindow(model: string): number | undefined;
}

/** Why a model gave no answer, and whether asking again could help. */
export class ModelError extends Error {
  constructor(
    readonly code: 'model_rejected' | 'model_unauthorized' | 'model_unavailable',
    message: string,
    readonly retryAfterMs?: number,
    /** The request was too long for the model's context window; with the sizes, where the provider reported them. */
    readonly overflow?: { tokens?: number; limit?: number },
    /** The HTTP status, or its equivalent; `undefined` without a reply. */
    readonly status?: number,
  ) {
    super(message);
  }

  get isFinal(): boolean {
    return this.code !== 'model_unavailable';
  }
}
