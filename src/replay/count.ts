/** How many, as an option says. */
export function countOf(option: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new Error(`--${option} takes a number, at least 1.`);
  return Number(given);
}
