/** The first line of a result too large for the transcript: what became of it, and how to read on. */
export function keptLine(handle: string, length: number): string {
  return `[Kept in full as "${handle}": ${length} characters. Read on with read_result.]`;
}

/** The line itself, of a result that was kept elsewhere: what has to stay when the rest of it goes. */
export function keptLineOf(content: string): string | undefined {
  return /^\[Kept in full as "[\w-]{1,64}": \d+ characters\. Read on with read_result\.\]/.exec(content)?.[0];
}

/** What the model writes as one may be anything. */
export function isHandle(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}
