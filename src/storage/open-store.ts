import type { Keys } from '#contract/encryption';
import type { Place } from '#contract/place';
import { bucketStore, type S3Settings } from './bucket';
import { folderStore } from './folder';
import { packed } from './packed';
import type { Store } from './store';
import { timely } from './timely';

/** Where, as the environment says. */
interface Settings {
  s3Endpoint: S3Settings['endpoint'];
  environment: S3Settings['environment'];
}

/** Parley's own storage: only Parley reads it. */
export function openStorage(place: Place | undefined, settings: Settings, keys: Keys | undefined) {
  return place && packed(openPlace(place, settings, 'PARLEY_STORAGE'), keys);
}

/** For people and other programs: as it is. */
export function openExports(place: Place, settings: Settings): Store {
  return openPlace(place, settings, 'PARLEY_EXPORTS');
}

function openPlace(place: Place, { s3Endpoint, environment }: Settings, setBy: S3Settings['setBy']): Store {
  const store =
    place.kind === 'folder'
      ? folderStore(place.path, setBy)
      : bucketStore(place, { endpoint: s3Endpoint, setBy, environment });
  return timely(store, setBy);
}
