import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { InternalHosts, Place } from './internal-hosts';
import { isPublic } from './public-address';
import { Refusal } from './refusal';

export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

export interface Guard {
  internal: InternalHosts;
  lookup: Lookup;
}

const CONNECT_MS = 10_000;

/** Connects to what was checked and to nothing else: the name is looked up once, so it cannot change its mind between. */
export function guardedConnector(guard: Guard, signal: AbortSignal): buildConnector.connector {
  return (options, callback) => {
    const place = { hostname: options.hostname, port: options.port || portOf(options.protocol) };
    // No lookup is made for what is an address already.
    const refusal = isIP(place.hostname) !== 0 ? refusalOf(guard, place, [place.hostname]) : undefined;
    if (refusal) return callback(refusal, null);
    const connect = buildConnector({
      lookup: guardedLookup(guard, place),
      signal,
      timeout: CONNECT_MS,
      maxCachedSessions: 0,
      rejectUnauthorized: true,
      autoSelectFamily: true,
    });
    connect(options, callback);
  };
}

/** One address that may not be reached spoils the name, since anyone of them may be connected to. */
export function guardedLookup(guard: Guard, place: Place): LookupFunction {
  return (hostname, { all }, callback) => {
    const checked = guard.lookup(hostname).then((addresses) => {
      const refusal = refusalOf(
        guard,
        place,
        addresses.map(({ address }) => address),
      );
      if (refusal) throw refusal;
      return addresses;
    });
    checked.then(
      (addresses) =>
        all ? callback(null, addresses) : callback(null, addresses[0]?.address ?? '', addresses[0]?.family),
      (error) => callback(error, []),
    );
  };
}

export function refusalOf({ internal }: Guard, place: Place, addresses: string[]): Refusal | undefined {
  if (addresses.length === 0) return new Refusal(`The host ${place.hostname} has no address.`);
  const isFree = (address: string) => internal.allows(place, address) || isPublic(address);
  if (addresses.every(isFree)) return undefined;
  return new Refusal(
    `${place.hostname} is not on the public internet, and only public hosts may be called. ` +
      'The operator can allow a host on the inside with PARLEY_INTERNAL_HOSTS.',
  );
}

/** The port of a web address that names none. */
export function portOf(protocol: string): string {
  return protocol === 'https:' ? '443' : '80';
}
