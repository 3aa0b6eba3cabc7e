import type { Channel } from '#channels/channel';
import type { Model } from '#model/model';
import { toolbox } from '#tools/toolbox';
import type { Errand } from '#workflows/errands';
import type { ModelTurn, SummaryTurn } from '#workflows/hand-over';
import { deliver } from './deliver';
import { keepEntries, type Stretch } from './keep-entries';
import type { TranscriptReader } from './model-call';
import { type NoticeOrder, notify } from './notify';
import { createRarely } from './rarely';
import { summarise } from './summarise';
import { think } from './think';
import { type Means, type ToolUse, useTool } from './use-tool';
import type { ExportMeans } from './write-export';

export interface Dependencies extends Means, ExportMeans {
  model: Model;
  channels: Channel[];
  readTranscript: TranscriptReader;
}

/** Everything a conversation does to the world: one effect each, small enough to retry. */
export function createActivities(dependencies: Dependencies) {
  const thinking = { ...dependencies, toolbox: toolbox(dependencies.tools), rarely: createRarely() };
  return {
    think: (call: ModelTurn) => think(thinking, call),
    summarise: (call: SummaryTurn) => summarise(thinking, call),
    useTool: (use: ToolUse) => useTool(dependencies, use),
    notify: (order: NoticeOrder) => notify(dependencies, order),
    keepEntries: (stretch: Stretch) => keepEntries(dependencies, stretch),
    deliver: (errand: Errand) => deliver(dependencies, errand),
  };
}
export type Activities = ReturnType<typeof createActivities>;
