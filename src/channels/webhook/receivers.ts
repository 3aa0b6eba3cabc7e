const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)(:\d+)?$/;

interface Setting {
  keys: unknown;
  internalHosts: string[];
  temporal: { address: string | undefined };
}

/**
 * What the receivers of webhooks may be although it is not public: what the operator names; and this machine, where
 * nothing of Parley is to be reached from elsewhere: no keys, and a Temporal server of its own.
 */
export function receiversInside({ keys, internalHosts, temporal: { address } }: Setting): string[] {
  const isAlone = !keys && (address === undefined || LOOPBACK.test(address));
  return isAlone ? [...internalHosts, 'localhost', '127.0.0.0/8', '::1'] : internalHosts;
}
