/** What no header can carry was never a key. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** What is wrong with a key at first sight, before it is sent. */
export function checkApiKeyFormat(key: string): string | undefined {
  if (key === '') return 'Paste your key here.';
  return VISIBLE_ASCII.test(key)
    ? undefined
    : 'This is not a key: a key has letters, digits, hyphens and underscores only.';
}
