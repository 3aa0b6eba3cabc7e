import { createParley } from '#client/parley';
import { markSignedOut } from '../session/session';
import { trackedFetch } from './connection';

/** Client for the API that served this page. Retries every few seconds without limit, because a person is watching. */
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
