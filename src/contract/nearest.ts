/** A few slips of the finger, fewer in a short word. */
const slipsIn = (word: string) => (word.length < 4 ? 1 : word.length < 9 ? 2 : 3);

/** What was probably meant, if one of these is near enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const written = word.toLowerCase();
  const ranked = known
    .map((one) => ({ one, away: distance(written, one.toLowerCase()) }))
    .filter(({ away }) => away <= slipsIn(word))
    .sort((a, b) => a.away - b.away);
  return ranked[0]?.one;
}

/** `; did you mean …?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === undefined ? '' : `; did you mean \`${meant}\`?`;
}

/** How many letters have to be put in, left out or changed to make the one word the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [down, letter] of [...from].entries()) {
    let left = down + 1;
    const next = [left];
    for (const [across, other] of [...to].entries()) {
      const changed = (row[across] ?? 0) + (letter === other ? 0 : 1);
      left = Math.min(changed, left + 1, (row[across + 1] ?? 0) + 1);
      next.push(left);
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
