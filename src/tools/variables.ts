import { NAMED, namesIn, type Variables } from '#contract/variables';

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

/** Shorter values are no secrets, and would blot out half of a text. */
const SHORTEST_SECRET = 6;

/** Takes the values of the variables that these texts name out of another: some servers send back what they were sent. */
export function hiding(texts: string[], variables: Variables): (text: string) => string {
  const secrets = texts
    .flatMap(namesIn)
    .map((name) => variables[name] ?? '')
    .filter((value) => value.length >= SHORTEST_SECRET)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    // One may be part of another, and must not leave the rest of it standing.
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[hidden]'), text);
}
