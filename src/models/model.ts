import type { ContentBlock, TranscriptMessage } from '#core/transcript/transcript';
import type { ToolDefinition } from '#tools/tool-set';

/** One call of a model: what it reads, and how it is told to stop. */
export interface ModelCall {
  model: string;
  maxTokens: number;
  system: string;
  tools: ToolDefinition[];
  /** It is told of its tools, since what it reads has calls of them, but is to call none. */
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
  answer(call: ModelCall): Promise<ModelResponse>;
  /** How many tokens that model reads at most, as soon as it is known; where nobody tells, it stays unknown. */
  window(model: string): number | undefined;
}

/** Why a model gave no answer, and whether asking again could help. */
export class ModelError extends Error {
  constructor(
    readonly code: 'model_rejected' | 'model_unauthorized' | 'model_unavailable',
    message: string,
    readonly retryAfterMs?: number,
    /** It was too long for the model's window; with what was told of by how much. */
    readonly overflow?: { tokens?: number; most?: number },
    /** Of HTTP, or what stands for it; none where there was no reply. */
    readonly status?: number,
  ) {
    super(message);
  }

  get isFinal(): boolean {
    return this.code !== 'model_unavailable';
  }
}
