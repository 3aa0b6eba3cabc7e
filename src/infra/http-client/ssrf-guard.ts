import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import type { HostAndPort, InternalHosts } from './internal-hosts';
import { defaultPortOf, HttpRequestError } from './validate-request';

export type DnsLookup = (hostname: string) => Promise<LookupAddress[]>;

export interface SsrfGuard {
  internal: InternalHosts;
  lookup: DnsLookup;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** Connects to what was checked and to nothing else: the name is looked up once, so it cannot change its mind between. */
export function createGuardedConnector(guard: SsrfGuard, signal: AbortSignal): buildConnector.connector {
  return (options, callback) => {
    const place = { hostname: options.hostname, port: options.port || defaultPortOf(options.protocol) };
    // No lookup is made for what is an address already.
    const refusal = isIP(place.hostname) !== 0 ? checkAddresses(guard, place, [place.hostname]) : undefined;
    if (refusal) return callback(refusal, null);
    const connect = buildConnector({
      lookup: createGuardedLookup(guard, place),
      signal,
      timeout: CONNECT_TIMEOUT_MS,
      maxCachedSessions: 0,
      rejectUnauthorized: true,
      autoSelectFamily: true,
    });
    connect(options, callback);
  };
}

/** One address that may not be reached spoils the name, since anyone of them may be connected to. */
export function createGuardedLookup(guard: SsrfGuard, place: HostAndPort): LookupFunction {
  return (hostname, { all }, callback) => {
    const checked = guard.lookup(hostname).then((addresses) => {
      const refusal = checkAddresses(
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

export function checkAddresses(
  { internal }: SsrfGuard,
  place: HostAndPort,
  addresses: string[],
): HttpRequestError | undefined {
  if (addresses.length === 0) return new HttpRequestError(`The host ${place.hostname} has no address.`);
  const isFree = (address: string) => internal.allows(place, address) || isPublicAddress(address);
  if (addresses.every(isFree)) return undefined;
  return new HttpRequestError(
    `${place.hostname} is not on the public internet, and only public hosts may be called. ` +
      'The operator can allow a host on the inside with PARLEY_INTERNAL_HOSTS.',
  );
}

/** Azure's host agent answers there, on an address that belongs to the public space. */
const AZURE_HOST_AGENT = '168.63.129.16';

/** All that was ever given out; what lies beyond, such as `::127.0.0.1`, may lead inside. */
const GLOBAL_UNICAST_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Is this plainly an address on the public internet? Whatever is special, or hides an address in it, is not. */
function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' ? parsed.toString() !== AZURE_HOST_AGENT : parsed.match(GLOBAL_UNICAST_IPV6);
}
