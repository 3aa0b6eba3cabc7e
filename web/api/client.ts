import { createParley } from '#client/parley';
import { markSignedOut } from '../session/session';
import { trackedFetch } from './connection';

/** The API this page came from. A person looks on, so it is tried again every few seconds however long it is away. */
export const apiClient = createParley({
  url: '',
  channel: 'web',
  timing: { longestWaitMs: 4_000 },
  fetch: async (input, init) => {
    const response = await trackedFetch(input, init);
    if (response.status === 401) markSignedOut();
    return response;
  },
});
