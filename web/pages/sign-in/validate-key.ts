/** A key can contain only characters that an HTTP header can carry. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** Returns what is wrong with a key before it is sent; undefined if the format is valid. */
export function checkApiKeyFormat(key: string): string | undefined {
  if (key === '') return 'Enter your API key.';
  return VISIBLE_ASCII.test(key)
    ? undefined
    : 'Invalid key: keys contain only letters, digits, hyphens and underscores.';
}
