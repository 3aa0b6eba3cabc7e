/** With or without a port. An IPv6 address without brackets has none: `::1:80` is another address. */
const LOOPBACK = /^(::1|(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?)$/;

/** Whether a host, as a setting or a `Host` header names it, is this machine. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

export function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
}
