import { StorageError, type Store } from './store';

/** The client of a bucket gives up before that by itself, and says more. */
const LIMIT_MS = 35_000;

/** A disk of the network may leave one waiting for good: no operation takes longer than this. */
export function timely(store: Store, setBy: string, limitMs = LIMIT_MS): Store {
  const within = <T>(work: Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(tooLate(setBy, limitMs)), limitMs).unref();
    });
    return Promise.race([work, late]).finally(() => clearTimeout(timer));
  };
  return {
    put: (name, bytes) => within(store.put(name, bytes)),
    get: (name) => within(store.get(name)),
    tryOut: (how) => within(store.tryOut(how)),
    close: () => store.close(),
  };
}

function tooLate(setBy: string, limitMs: number): StorageError {
  const seconds = Math.round(limitMs / 1_000);
  return new StorageError(
    `What ${setBy} names did not answer within ${seconds} seconds. Check that it is up, and mounted where it is a folder.`,
  );
}
