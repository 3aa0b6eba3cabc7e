import { existsSync } from 'node:fs';
import path from 'node:path';
import { version } from '../../package.json';
import { writeHistory } from '#replay/recorded';
import { parley } from '#test/support/parley';
import { features } from './features';

/**
 * Records histories of this version's conversations, for later versions to replay: `npm run record`.
 * One for each feature, parked and finished. What is recorded is never recorded anew: it is what people have parked.
 * PARLEY_RECORD_TO is another folder, to try it out.
 */
const folder = process.env.PARLEY_RECORD_TO || __dirname;

it.each(features)('records %s', async (name, settings, play) => {
  const file = path.join(folder, `${version}-${name}.pb.gz`);
  if (existsSync(file)) return;
  const p = await parley(settings);
  const id = await play(p);
  const history = await p.client.workflow.getHandle(id).fetchHistory();
  writeHistory(file, history);
  await p.stop();
});
