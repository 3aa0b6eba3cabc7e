import { createParley } from '#client/parley';
import { watchedFetch } from './connection';
import { signedOut } from './session/session';

/** The API this page came from. A person looks on, so it is tried again every few seconds however long it is away. */
export const parley = createParley({
  url: '',
  channel: 'web',
  timing: { longestWaitMs: 4_000 },
  fetch: async (input, init) => {
    const response = await watchedFetch(input, init);
    if (response.status === 401) signedOut();
    return response;
  },
});
