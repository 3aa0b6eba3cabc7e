/** JSON with its keys in order, so that equal values are equal texts. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const keys = Object.keys(value).sort();
  const members = keys.flatMap((key) => {
    const member = (value as Record<string, unknown>)[key];
    return member === undefined ? [] : [`${JSON.stringify(key)}:${canonical(member)}`];
  });
  return `{${members.join(',')}}`;
}

/** SHA-256 of a value as canonical JSON. Written out, since the workflow sandbox has no crypto. */
export function digestOf(value: unknown): string {
  const hash = [...START];
  const words = padded(bytesOf(canonical(value)));
  for (let at = 0; at < words.length; at += 16) mix(hash, words.slice(at, at + 16));
  return `sha256:${hash.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')}`;
}

function bytesOf(text: string): number[] {
  const bytes: number[] = [];
  for (const character of encodeURIComponent(text).match(/%..|./g) ?? []) {
    bytes.push(character.length === 3 ? Number.parseInt(character.slice(1), 16) : character.charCodeAt(0));
  }
  return bytes;
}

/** In words of 32 bits: a one, noughts, and the length in bits at the end of a block of 16. */
function padded(bytes: number[]): number[] {
  const words = new Array<number>((((bytes.length + 8) >> 6) + 1) * 16).fill(0);
  [...bytes, 0x80].forEach((byte, at) => {
    words[at >> 2] = (words[at >> 2] ?? 0) | (byte << (24 - (at % 4) * 8));
  });
  words[words.length - 2] = Math.floor(bytes.length / 2 ** 29);
  words[words.length - 1] = (bytes.length << 3) | 0;
  return words;
}

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function mix(hash: number[], block: number[]): void {
  const w = [...block];
  for (let i = 16; i < 64; i += 1) {
    const [a = 0, b = 0, c = 0, d = 0] = [w[i - 15], w[i - 2], w[i - 16], w[i - 7]];
    const early = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
    const late = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
    w.push((c + early + d + late) | 0);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let i = 0; i < 64; i += 1) {
    const one =
      h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + (K[i] ?? 0) + (w[i] ?? 0);
    const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, at) => {
    hash[at] = ((hash[at] ?? 0) + word) | 0;
  });
}

const PRIMES = firstPrimes(64);
/** The first 32 bits of the fractional parts of the primes' square and cube roots. */
const START = PRIMES.slice(0, 8).map((prime) => fraction(prime ** (1 / 2)));
const K = PRIMES.map((prime) => fraction(prime ** (1 / 3)));

function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0;
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes;
}
