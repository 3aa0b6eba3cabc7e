import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import type { HostAndPort, InternalHosts } from './internal-hosts';
import { defaultPortOf, HttpRequestError } from './validate-request';

export type DnsLookup = (hostname: string) => Promise<LookupAddress[]>;

export interface SsrfGuard {
  internalHosts: InternalHosts;
  lookup: DnsLookup;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** Connects only to checked addresses: the name is resolved once, so it cannot change between check and use. */
export function createGuardedConnector(guard: SsrfGuard, signal: AbortSignal): buildConnector.connector {
  return (options, callback) => {
    const target = { hostname: options.hostname, port: options.port || defaultPortOf(options.protocol) };
    // Node does not call `lookup` for an IP address, so it is checked here.
    const denial = isIP(target.hostname) !== 0 ? checkAddresses(guard, target, [target.hostname]) : undefined;
    if (denial) return callback(denial, null);
    const connect = buildConnector({
      lookup: createGuardedLookup(guard, target),
      signal,
      timeout: CONNECT_TIMEOUT_MS,
      maxCachedSessions: 0,
      rejectUnauthorized: true,
      autoSelectFamily: true,
    });
    connect(options, callback);
  };
}

/** Rejects a name if any of its addresses is not allowed, as the connection may use any of them. */
export function createGuardedLookup(guard: SsrfGuard, target: HostAndPort): LookupFunction {
  const lookUpAllowed = async (hostname: string) => {
    const found = await guard.lookup(hostname);
    const addresses = found.map(({ address }) => address);
    const denial = checkAddresses(guard, target, addresses);
    if (denial) throw denial;
    return found;
  };
  return (hostname, { all }, callback) =>
    lookUpAllowed(hostname).then(
      (found) => (all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
      (error) => callback(error, []),
    );
}

export function checkAddresses(
  { internalHosts }: SsrfGuard,
  target: HostAndPort,
  addresses: string[],
): HttpRequestError | undefined {
  if (addresses.length === 0) return new HttpRequestError(`The host ${target.hostname} has no address.`);
  const isAllowed = (address: string) => internalHosts.allows(target, address) || isPublicAddress(address);
  if (addresses.every(isAllowed)) return undefined;
  return new HttpRequestError(
    `${target.hostname} is not on the public internet, and only public hosts are allowed. ` +
      'An administrator can allow internal hosts with PARLEY_INTERNAL_HOSTS.',
  );
}

/** Azure's host agent, on an address in the public range. */
const AZURE_HOST_AGENT = '168.63.129.16';

/** All IPv6 addresses that were ever assigned. Others, such as `::127.0.0.1`, may lead to internal hosts. */
const GLOBAL_UNICAST_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether the address is on the public internet. Special ranges, and addresses that embed another one, are not. */
function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' ? parsed.toString() !== AZURE_HOST_AGENT : parsed.match(GLOBAL_UNICAST_IPV6);
}
