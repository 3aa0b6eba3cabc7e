import type { Channel } from './channel';

/** Sends nothing: the inbox lists every open question by itself, until it is resolved. */
export const inboxChannel: Channel = {
  name: 'inbox',
  label: 'Inbox',
  readSettings: () => ({}),
  test: { note: 'always on: open questions appear in the web app' },
  createSender: () => ({
    name: 'inbox',
    send: async () => ({}),
    remind: async () => ({}),
    updateCopy: async () => undefined,
  }),
};
