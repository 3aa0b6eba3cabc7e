import type { Channel } from '#channels/channel';
import { placeOn } from '#core/destination';
import type { Errand } from '#workflows/errands';
import { channelFor, tried } from './telling';
import { type ExportMeans, writeExport } from './write-export';

/** Tell in one place what became of a question, or of the conversation. */
export async function deliver(
  { channels, ...means }: { channels: Channel[] } & ExportMeans,
  errand: Errand,
): Promise<void> {
  const { run } = errand;
  if (run) return tried(() => writeExport(means, run), 'A conversation could not be exported');
  const channel = channelFor(channels, errand.channel);
  const { id, title, links, root, question, ended, ref = {} } = errand;
  const place = errand.url ?? placeOn(errand.channel);
  await tried(async () => {
    if (question) await channel.settle({ id, place, question, title, links, root, ref });
    if (ended) await channel.end?.({ id, place, conversation: ended });
  });
}
