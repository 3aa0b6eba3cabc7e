import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROBLEM_ADVICE } from '#api/pages/problems';
import { PROBLEMS, type ProblemCode } from '#contract/problem';

const page = readFileSync(path.join(__dirname, '../../../docs/reference/error-codes.md'), 'utf8');
const rows = [...page.matchAll(/^\| <a id="(\w+)"><\/a>`(\w+)` *\| (\d+) +\| (.+?) *\| (.+?) *\|$/gm)];

describe('docs/reference/error-codes.md', () => {
  it('has one line for each code, with its anchor, status and the advice of the API', () => {
    const listed = rows.map(([, anchor, code, status, , advice]) => [anchor, code, Number(status), advice]);
    const known = (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => [
      code,
      code,
      PROBLEMS[code][0],
      PROBLEM_ADVICE[code],
    ]);
    expect(listed.sort()).toEqual(known.sort());
  });
});
