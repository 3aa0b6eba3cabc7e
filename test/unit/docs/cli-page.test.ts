import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ADMIN_COMMANDS } from '#cli/admin/command-table';
import { COMMANDS } from '#cli/command-table';
import { EXIT } from '#cli/errors';

const page = readFileSync(path.join(__dirname, '../../../docs/reference/cli.md'), 'utf8');

/** The options of each command in the page, by its heading. */
const listed = page
  .split(/^(?=### )/m)
  .slice(1)
  .map((section) => [
    /^### `(.+)`$/m.exec(section)?.[1],
    [...(section.split(/^## /m)[0] ?? '').matchAll(/^\| `(--[^`]+)`/gm)].map(([, flags]) => flags),
  ]);

describe('docs/reference/cli.md', () => {
  it('has every command, with its arguments and options, in the order of the help', () => {
    const commands = [...COMMANDS, ...ADMIN_COMMANDS.map((command) => ({ ...command, name: `admin ${command.name}` }))];
    const known = commands.map(({ name, argumentSyntax, options }) => [
      ['parley', name, argumentSyntax].filter(Boolean).join(' '),
      options.map(([flags]) => flags),
    ]);
    expect(listed).toEqual(known);
  });

  it('has every exit code', () => {
    const [, exitCodes = ''] = page.split('## Exit codes');
    const codes = [...exitCodes.matchAll(/^\| (\d+) /gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(EXIT));
  });
});
