const LONGEST = 300;

/** Why a task failed, in one line: the SDK wraps it in its own words and a dump of the failure. */
export function reasonOf(told: string): string {
  const said = told.replace(/\\"/g, '"').replace(/\\n/g, ' ');
  const [, inner] =
    /Nondeterminism error: (.*?)(?:", source:|", stack_trace:|$)/s.exec(said) ??
    /Failure \{ failure: Some\(Failure \{ message: "(.*?)", source:/s.exec(said) ??
    /Details: (.*)$/s.exec(said) ??
    [];
  const line = (inner ?? said).replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
