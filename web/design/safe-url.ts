const SAFE = new Set(['http:', 'https:', 'mailto:']);

/** Only whole addresses: what is relative would lead into this app. */
export function safeUrl(url: string): string | undefined {
  return URL.canParse(url) && SAFE.has(new URL(url).protocol) ? url : undefined;
}
