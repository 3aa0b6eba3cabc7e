/** Where a notice goes, as it is written: a channel, and where on it. `slack:#ops`, `email:ops@example.com`, `webhook`. */
export function channelOf(destination: string): string {
  return destination.split(':', 1)[0] ?? '';
}

/** `#ops` of `slack:#ops`; empty for a channel that leads to one place only. */
export function placeOn(destination: string): string {
  const at = destination.indexOf(':');
  return at < 0 ? '' : destination.slice(at + 1);
}
