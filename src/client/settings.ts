import type { Channel } from '#contract/requests';

/** How long to wait, in milliseconds. */
export interface Timing {
  /** Before the first retry or reconnect; each one after it waits twice as long. */
  firstWaitMs: number;
  /** The most, whatever the server asks for. */
  longestWaitMs: number;
  /** A stream that says nothing for this long is dead: the server sends a comment every 15 s. */
  silenceMs: number;
}

export interface Options {
  /** Where Parley is; '' is where the page came from. */
  url: string;
  /** An API key; not needed on loopback without keys, nor in a browser that has the cookie. */
  key?: string;
  /** What the caller is: recorded with what it sends, as `outcome.via`. */
  channel?: Channel;
  fetch?: typeof fetch;
  /** How often a call is tried again; 2 unless told. */
  retries?: number;
  timing?: Partial<Timing>;
}

export interface Settings extends Required<Omit<Options, 'key' | 'channel' | 'timing'>> {
  key: string | undefined;
  channel: Channel | undefined;
  timing: Timing;
}

const TIMING: Timing = { firstWaitMs: 500, longestWaitMs: 30_000, silenceMs: 45_000 };

export function settingsOf({ url, key, channel, retries = 2, timing, ...options }: Options): Settings {
  return {
    url: url.replace(/\/+$/, ''),
    key,
    channel,
    retries,
    timing: { ...TIMING, ...timing },
    // Called by itself: a browser's fetch refuses to be called as a method of something else.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  };
}
