import type { Model } from '../model/model';
import type { Tool } from '../tools/tool';
import { type TranscriptReader, think } from './think';
import { type ToolUse, useTool } from './use-tool';

export interface Dependencies {
  model: Model;
  tools: Tool[];
  readTranscript: TranscriptReader;
}

/** Everything a conversation does to the world: one effect each, small enough to retry. */
export function createActivities(dependencies: Dependencies) {
  return {
    think: (input: { messages: number }) => think(dependencies, input.messages),
    useTool: (use: ToolUse) => useTool(dependencies, use),
  };
}
export type Activities = ReturnType<typeof createActivities>;
