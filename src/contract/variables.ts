/** Environment variables, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** `${NAME}` in an agent's file. */
export const NAMED = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export function namesIn(text: string): string[] {
  return [...text.matchAll(NAMED)].map(([, name = '']) => name);
}
