const REMEMBERED = 2_000;
const MOST_AN_HOUR = 5;
const HOUR = 3_600_000;

/** What went back to people, so that a delivery that comes twice gets one mail, and two programs never write to each other for ever. */
export class Mailed {
  private readonly replied = new Set<string>();
  private readonly times = new Map<string, number[]>();

  has(incoming: string): boolean {
    return this.replied.has(incoming);
  }

  /** More than a person would need, about one question. */
  isTooMuch(about: string, now: number): boolean {
    return this.recent(about, now).length >= MOST_AN_HOUR;
  }

  add(incoming: string, about: string, now: number): void {
    this.replied.add(incoming);
    this.times.set(about, [...this.recent(about, now), now]);
    forgetOldest(this.replied);
    forgetOldest(this.times);
  }

  private recent(about: string, now: number): number[] {
    return (this.times.get(about) ?? []).filter((at) => now - at < HOUR);
  }
}

function forgetOldest(kept: Set<string> | Map<string, unknown>): void {
  const [oldest] = kept.keys();
  if (kept.size > REMEMBERED && oldest !== undefined) kept.delete(oldest);
}
