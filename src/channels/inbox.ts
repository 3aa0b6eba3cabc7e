import type { Channel } from './channel';

/** The inbox shows every open question by itself, and lets go of it when it is settled: that it was told is all there is to do. */
export const inboxChannel: Channel = {
  name: 'inbox',
  send: async () => ({}),
  remind: async () => ({}),
  settle: async () => undefined,
};
