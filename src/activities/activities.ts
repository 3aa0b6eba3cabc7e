import type { Model } from '../model/model';
import type { Tool } from '../tools/tool';
import { toolbox } from '../tools/toolbox';
import type { ModelTurn } from '../workflows/hand-over';
import { type TranscriptReader, think } from './think';
import { type ToolUse, useTool } from './use-tool';

export interface Dependencies {
  model: Model;
  tools: Tool[];
  readTranscript: TranscriptReader;
}

/** Everything a conversation does to the world: one effect each, small enough to retry. */
export function createActivities(dependencies: Dependencies) {
  const thinking = { ...dependencies, toolbox: toolbox(dependencies.tools) };
  return {
    think: (call: ModelTurn) => think(thinking, call),
    useTool: (use: ToolUse) => useTool(dependencies, use),
  };
}
export type Activities = ReturnType<typeof createActivities>;
