/** The first line of a result too large for the transcript: what became of it, and how to read on. */
export function storedResultMarker(handle: string, length: number): string {
  return `[Kept in full as "${handle}": ${length} characters. Read on with read_result.]`;
}

const MARKER_PATTERN = /^\[Kept in full as "([\w-]{1,64})": (\d+) characters\. Read on with read_result\.\]/;

/** The line itself, of a result that was kept elsewhere: what has to stay when the rest of it goes. */
export function findStoredResultMarker(content: string): string | undefined {
  return MARKER_PATTERN.exec(content)?.[0];
}

/** For people, to whom the line says nothing: where all of it is, how long that is, and its beginning. */
export function parseStoredResult(content: string): { handle: string; length: number; shown: string } | undefined {
  const [line = '', handle = '', length = ''] = MARKER_PATTERN.exec(content) ?? [];
  return line === '' ? undefined : { handle, length: Number(length), shown: content.slice(line.length).trimStart() };
}

/** What the model writes as one may be anything. */
export function isResultHandle(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}
