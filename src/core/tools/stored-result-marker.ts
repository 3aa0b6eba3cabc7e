/** First line of a result too large for the transcript: where it is stored and how to read on. */
export function storedResultMarker(handle: string, length: number): string {
  return `[Full result saved as "${handle}": ${length} characters. Read more with read_result.]`;
}

const MARKER_PATTERN = /^\[Full result saved as "([\w-]{1,64})": (\d+) characters\. Read more with read_result\.\]/;

/** The marker line of a stored result. It must stay when the rest is removed. */
export function findStoredResultMarker(content: string): string | undefined {
  return MARKER_PATTERN.exec(content)?.[0];
}

/** Parses the marker for display: the handle, the full length and the text shown. */
export function parseStoredResult(content: string): { handle: string; length: number; shown: string } | undefined {
  const [line = '', handle = '', length = ''] = MARKER_PATTERN.exec(content) ?? [];
  return line === '' ? undefined : { handle, length: Number(length), shown: content.slice(line.length).trimStart() };
}

/** Validates a handle, which the model may have made up. */
export function isResultHandle(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}
