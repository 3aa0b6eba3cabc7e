import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(__dirname, '../../..');
const page = readFileSync(path.join(ROOT, 'docs/internals/architecture.md'), 'utf8');

const paths = [...page.matchAll(/`((?:bench|chaos|docs|scripts|src|test|web)(?:\/[\w./-]+)?)`/g)].map(
  ([, found = '']) => found,
);
const steps = [...page.matchAll(/^\d+\. `([^`]+)` `([^`]+)`: /gm)].map(([, file = '', name = '']) => [file, name]);

describe('docs/internals/architecture.md', () => {
  it('names only files and folders that exist', () => {
    expect(paths.length).toBeGreaterThan(60);
    expect(paths.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });

  it('starts every step of a data path with a file and a function in it', () => {
    const [, dataPaths = ''] = page.split('## Data paths');
    expect(steps).toHaveLength(dataPaths.match(/^\d+\. /gm)?.length ?? 0);
    expect(dataPaths.match(/^### /gm)).toHaveLength(7);
  });

  it.each(steps)('finds in %s the function %s', (file = '', name = '') => {
    expect(readFileSync(path.join(ROOT, file), 'utf8')).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
