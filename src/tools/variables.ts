export type Variables = Readonly<Record<string, string | undefined>>;

const NAMED = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** `${NAME}` in an agent's file is that variable where the worker runs: secrets are in no file and no history. */
export function fillIn(text: string, variables: Variables): string {
  return text.replace(NAMED, (_whole, name: string) => {
    const value = variables[name];
    if (value === undefined)
      throw new Error(`The variable ${name}, which the agent's file names, is not set here.`);
    return value;
  });
}

export function fillInAll(texts: Record<string, string>, variables: Variables): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fillIn(text, variables)]));
}

/** What the variables that a text names hold. */
export function valuesIn(text: string, variables: Variables): string[] {
  return [...text.matchAll(NAMED)].flatMap(([, name = '']) => variables[name] ?? []);
}
