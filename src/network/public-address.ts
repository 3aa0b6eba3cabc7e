import ipaddr from 'ipaddr.js';

/** Azure's host agent answers there, on an address that belongs to the public space. */
const HOST_AGENT = '168.63.129.16';

/** All that was ever given out; what lies beyond, such as `::127.0.0.1`, may lead inside. */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR('2000::/3');

/** Is this plainly an address on the public internet? Whatever is special, or hides an address in it, is not. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' ? parsed.toString() !== HOST_AGENT : parsed.match(GIVEN_OUT);
}
