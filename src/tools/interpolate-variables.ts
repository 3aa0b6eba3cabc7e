/** Environment variables by name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** `${NAME}` in an agent file. */
export const VARIABLE_REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export function findVariableNames(text: string): string[] {
  return [...text.matchAll(VARIABLE_REFERENCE)].map(([, name = '']) => name);
}

/** Replaces `${NAME}` with the worker's environment variable, so that secrets are in no agent file and no history. */
export function interpolateText(text: string, variables: EnvironmentVariables): string {
  return text.replace(VARIABLE_REFERENCE, (_whole, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`The environment variable ${name}, used in the agent file, is not set.`);
    return value;
  });
}

export function interpolateTexts(texts: Record<string, string>, variables: EnvironmentVariables) {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, interpolateText(text, variables)]));
}

/** Shorter values are unlikely to be secrets, and redacting them would garble the text. */
const MIN_SECRET_LENGTH = 6;

/** Redacts the values of the variables in `texts`: some servers echo what they were sent. */
export function createSecretRedactor(texts: string[], variables: EnvironmentVariables): (text: string) => string {
  const secrets = texts
    .flatMap(findVariableNames)
    .map((name) => variables[name] ?? '')
    .filter((value) => value.length >= MIN_SECRET_LENGTH)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    // Longest first: a secret may contain another, and must not be redacted only in part.
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[hidden]'), text);
}
