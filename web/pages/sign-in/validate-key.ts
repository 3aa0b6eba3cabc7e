/** A key can contain only characters that an HTTP header can carry. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** Returns what is wrong with a key before it is sent; undefined if the format is valid. */
export function checkApiKeyFormat(key: string): string | undefined {
  if (key === '') return 'Paste your key here.';
  return VISIBLE_ASCII.test(key)
    ? undefined
    : 'This is not a key: a key has letters, digits, hyphens and underscores only.';
}
