import { setImmediate } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import type { Limits } from './limits';
import type { Place } from './place';
import { Program } from './program';
import { reasonOf, Unreachable } from './trouble';

/** A client that is connected to its server. */
export interface Link {
  client: Client;
  isOpen(): boolean;
  /** Why the server is no good, by what went wrong with it. */
  reason(error: unknown): Promise<string>;
  end(): Promise<void>;
}

export interface Linking {
  limits: Limits;
  /** All that are open, being opened or being ended. */
  links: Set<Link>;
}

/** Connect, and be among the links until it ends. The server is offered no sampling, no elicitation and no roots. */
export async function link(place: Place, { limits, links }: Linking, onChanged: () => void): Promise<Link> {
  const transport = place.open();
  const client = new Client(
    { name: 'parley', version: '1' },
    { capabilities: {}, listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } } },
  );
  const lastWords = () => (transport instanceof Program ? transport.lastWords() : '');
  const made = linkOf(client, place, { limits, links }, lastWords);
  links.add(made);
  try {
    await within(limits.connect, client.connect(transport, { timeout: limits.connect }));
    return made;
  } catch (error) {
    const why = await made.reason(error);
    await made.end();
    throw new Unreachable(why);
  }
}

function linkOf(client: Client, place: Place, { limits, links }: Linking, lastWords: () => string): Link {
  let isOpen = true;
  const closed = new Promise<void>((resolve) => {
    client.onclose = () => {
      isOpen = false;
      resolve();
    };
  });
  const made: Link = {
    client,
    isOpen: () => isOpen,
    async reason(error) {
      // What a program said last comes by another pipe than its end.
      await setImmediate();
      return reasonOf(error, place, lastWords());
    },
    async end() {
      isOpen = false;
      client.close().catch(() => undefined);
      await within(limits.close, closed).catch(() => undefined);
      links.delete(made);
    },
  };
  void closed.then(() => links.delete(made));
  return made;
}

/** The official client times its requests, and waits for ever to have a notification taken. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Unreachable('it did not answer in time')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
