/** JSON with its keys in order, so that equal values are equal texts. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const keys = Object.keys(value).sort();
  const members = keys.flatMap((key) => {
    const member = (value as Record<string, unknown>)[key];
    return member === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(member)}`];
  });
  return `{${members.join(',')}}`;
}

/** SHA-256 of a value as canonical JSON. Written out, since the workflow sandbox has no crypto. */
export function sha256Digest(value: unknown): string {
  const hash = [...INITIAL_HASH];
  const words = padMessage(utf8Bytes(canonicalJson(value)));
  for (let at = 0; at < words.length; at += 16) compressBlock(hash, words.slice(at, at + 16));
  return `sha256:${hash.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')}`;
}

function utf8Bytes(text: string): number[] {
  const bytes: number[] = [];
  for (const character of encodeURIComponent(text).match(/%..|./g) ?? []) {
    bytes.push(character.length === 3 ? Number.parseInt(character.slice(1), 16) : character.charCodeAt(0));
  }
  return bytes;
}

/** In words of 32 bits: a one, noughts, and the length in bits at the end of a block of 16. */
function padMessage(bytes: number[]): number[] {
  const words = new Array<number>((((bytes.length + 8) >> 6) + 1) * 16).fill(0);
  [...bytes, 0x80].forEach((byte, at) => {
    words[at >> 2] = (words[at >> 2] ?? 0) | (byte << (24 - (at % 4) * 8));
  });
  words[words.length - 2] = Math.floor(bytes.length / 2 ** 29);
  words[words.length - 1] = (bytes.length << 3) | 0;
  return words;
}

const rotateRight = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function compressBlock(hash: number[], block: number[]): void {
  const w = [...block];
  for (let i = 16; i < 64; i += 1) {
    const [a = 0, b = 0, c = 0, d = 0] = [w[i - 15], w[i - 2], w[i - 16], w[i - 7]];
    const early = rotateRight(a, 7) ^ rotateRight(a, 18) ^ (a >>> 3);
    const late = rotateRight(b, 17) ^ rotateRight(b, 19) ^ (b >>> 10);
    w.push((c + early + d + late) | 0);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let i = 0; i < 64; i += 1) {
    const one =
      h +
      (rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)) +
      ((e & f) ^ (~e & g)) +
      (ROUND_CONSTANTS[i] ?? 0) +
      (w[i] ?? 0);
    const two = (rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, at) => {
    hash[at] = ((hash[at] ?? 0) + word) | 0;
  });
}

const PRIMES = firstPrimes(64);
/** The first 32 bits of the fractional parts of the primes' square and cube roots. */
const INITIAL_HASH = PRIMES.slice(0, 8).map((prime) => fractionalBits(prime ** (1 / 2)));
const ROUND_CONSTANTS = PRIMES.map((prime) => fractionalBits(prime ** (1 / 3)));

function fractionalBits(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0;
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes;
}
