import { writeHistoryFile } from '#test/support/temporal/write-history';
import { startParley } from '#test/support/parley/start-parley';
import { version } from '../../package.json';
import { featureScenarios } from './feature-scenarios';
import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Records histories of this version's conversations, for later versions to replay: `npm run record`. One for each
 * feature, parked and finished. Existing recordings are never replaced, since they represent conversations that users
 * have parked. PARLEY_RECORD_TO sets another folder, for a trial.
 */
const folder = process.env.PARLEY_RECORD_TO || __dirname;

it.each(featureScenarios)('records %s', async (name, settings, play) => {
  const file = path.join(folder, `${version}-${name}.pb.gz`);
  if (existsSync(file)) return;
  const p = await startParley(settings);
  const id = await play(p);
  const history = await p.client.workflow.getHandle(id).fetchHistory();
  writeHistoryFile(file, history);
  await p.stop();
});
