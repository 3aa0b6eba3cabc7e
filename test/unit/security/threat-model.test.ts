import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(__dirname, '../../..');
const page = readFileSync(path.join(ROOT, 'docs/internals/security.md'), 'utf8');
const [, threats = ''] = /^## Threats$([\s\S]*?)^## /m.exec(page) ?? [];

/** The rows of the tables, cell by cell. */
const rows = threats
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  .filter(([threat = '']) => !/^(threat|-+)$/.test(threat));

const held = rows.flatMap(([threat = '', , tests = '']) =>
  tests.split('<br>').map((test): [threat: string, file: string, title: string] => {
    const [, file = '', title = ''] = /^`([\w/-]+)` (.+)$/.exec(test) ?? [];
    return [threat, `test/${file}.test.ts`, title];
  }),
);

/** The source texts, without escapes of the quotes around titles. */
const titles = new Map<string, string>();
function textOf(file: string): string {
  const known = titles.get(file);
  if (known !== undefined) return known;
  const read = readFileSync(path.join(ROOT, file), 'utf8').replaceAll("\\'", "'");
  titles.set(file, read);
  return read;
}

describe('the threats in docs/internals/security.md', () => {
  it('are all read here', () => {
    expect(rows.length).toBeGreaterThan(60);
    for (const row of rows) expect(row).toHaveLength(3);
  });

  it.each(held)('%s: %s has the title "%s"', (_threat, file, title) => {
    expect(existsSync(path.join(ROOT, file))).toBe(true);
    const quoted = ["'", '"', '`'].map((quote) => `(${quote}${title}${quote}`);
    const text = textOf(file).replaceAll(/\(\s+(?=['"`])/g, '(');
    expect(quoted.some((written) => text.includes(written))).toBe(true);
  });
});
