/** What the receivers of webhooks may be although it is not public: what the operator names, and this machine where Parley is for nobody else. */
export function receiversInside({
  keys,
  internalHosts,
}: {
  keys: unknown;
  internalHosts: string[];
}): string[] {
  return keys ? internalHosts : [...internalHosts, 'localhost', '127.0.0.0/8', '::1'];
}
