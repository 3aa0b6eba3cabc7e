import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type IpAddress = ReturnType<typeof ipaddr.parse>;

/** A name covers all addresses it resolves to; a network covers its addresses under any name. */
type InternalHost = { port?: string } & ({ name: string } | { network: [IpAddress, number] });

/** The target of a request. The port is always set. */
export interface HostAndPort {
  hostname: string;
  port: string;
}

export type InternalHosts = ReturnType<typeof createInternalHosts>;

/** The internal hosts that the operator lets agents call. */
export function createInternalHosts(entries: string[]) {
  const hosts = entries.map((entry) => {
    const host = parseInternalHost(entry);
    if (!host) throw new Error(`"${entry}" is not a host or network.`);
    return host;
  });
  const matches = (host: InternalHost, { hostname, port }: HostAndPort, address: string) =>
    (host.port === undefined || host.port === port) &&
    ('name' in host ? host.name === hostname : isInNetwork(address, host.network));
  /** Whether a connection to this address is allowed for that target. */
  const allows = (target: HostAndPort, address: string) => hosts.some((host) => matches(host, target, address));
  return {
    allows,
    /** Whether the operator lists this host as it is written, by name or by address. */
    isListed: (target: HostAndPort) => allows(target, target.hostname),
  };
}

/** `wiki.corp`, `build:8080`, `10.1.2.3`, `[fd00::1]:8080` or `10.0.0.0/8`; undefined for anything else. */
export function parseInternalHost(text: string): InternalHost | undefined {
  if (text.includes('/')) return parseNetwork(text);
  if (isIP(text) === 6) return parseHost(`[${text}]`);
  const [, host, port] = /^(\[[^\]]+\]|[^:[\]]+)(?::([1-9]\d{0,4}))?$/.exec(text) ?? [];
  if (host === undefined || Number(port ?? 1) > 65_535) return undefined;
  const parsed = parseHost(host);
  return parsed && port !== undefined ? { ...parsed, port } : parsed;
}

function parseNetwork(text: string): InternalHost | undefined {
  const [, address = '', bits] = /^([^/%]+)\/(\d{1,3})$/.exec(text) ?? [];
  const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return Number(bits) <= maxBits ? { network: [ipaddr.parse(address), Number(bits)] } : undefined;
}

/** Parsed like URLs, so that both have one spelling: lower case, Punycode, canonical addresses. */
function parseHost(host: string): InternalHost | undefined {
  if (/[/?#@\\%*\s]/.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  const name = new URL(`http://${host}`).hostname.replace(/^\[|\]$|\.$/g, '');
  const version = isIP(name);
  if (version === 0) return name === '' ? undefined : { name };
  return { network: [ipaddr.parse(name), version === 4 ? 32 : 128] };
}

function isInNetwork(address: string, [network, bits]: [IpAddress, number]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return parsed.kind() === network.kind() && parsed.match(network, bits);
}
