/** Environment variables, by name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** `${NAME}` in an agent's file. */
export const VARIABLE_REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export function findVariableNames(text: string): string[] {
  return [...text.matchAll(VARIABLE_REFERENCE)].map(([, name = '']) => name);
}

/** `${NAME}` in an agent's file is that variable where the worker runs: secrets are in no file and no history. */
export function interpolateText(text: string, variables: EnvironmentVariables): string {
  return text.replace(VARIABLE_REFERENCE, (_whole, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`The variable ${name}, which the agent's file names, is not set here.`);
    return value;
  });
}

export function interpolateTexts(
  texts: Record<string, string>,
  variables: EnvironmentVariables,
): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, interpolateText(text, variables)]));
}

/** Shorter values are no secrets, and would blot out half of a text. */
const MIN_SECRET_LENGTH = 6;

/** Takes the values of the variables that these texts name out of another: some servers send back what they were sent. */
export function createSecretRedactor(texts: string[], variables: EnvironmentVariables): (text: string) => string {
  const secrets = texts
    .flatMap(findVariableNames)
    .map((name) => variables[name] ?? '')
    .filter((value) => value.length >= MIN_SECRET_LENGTH)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    // One may be part of another, and must not leave the rest of it standing.
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[hidden]'), text);
}
