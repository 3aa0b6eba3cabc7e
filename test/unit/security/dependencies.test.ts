import { readFileSync } from 'node:fs';
import path from 'node:path';

const PROJECT = path.join(__dirname, '../../..');
const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');

interface Package {
  version: string;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: true;
  optional?: true;
}

type Named = Record<string, string>;

const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> };
const own = JSON.parse(read('package.json')) as {
  dependencies: Named;
  devDependencies: Named;
  allowScripts: Record<string, boolean>;
  scripts: Named;
};
const others = Object.entries(packages).filter(([name]) => name !== '');
const nameOf = (place: string) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

describe('third-party packages', () => {
  it('with install scripts are listed by name, and none may run', () => {
    const withScripts = others.filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = [...new Set(withScripts.map(([place]) => nameOf(place)))];
    expect(Object.keys(own.allowScripts).sort()).toEqual(names.sort());
    expect(Object.values(own.allowScripts).filter((isAllowed) => isAllowed)).toEqual([]);
  });

  it('are installed by the set-up and the image without install scripts', () => {
    const npm = /const args = \[(.*)\];/.exec(read('scripts/setup/packages/npm.mjs'))?.[1];
    expect(npm).toContain("'--ignore-scripts'");
    const installing = read('Dockerfile')
      .split('\n')
      .filter((line) => /\bnpm (ci|i|install|rebuild)\b/.test(line) && !line.startsWith('#'));
    expect(installing).toEqual([]);
    expect(read('Dockerfile')).toContain('node scripts/setup.mjs --no-server');
  });

  it('are unchanged since they were chosen: exact versions, and a hash for each file', () => {
    const ranges = Object.entries({ ...own.dependencies, ...own.devDependencies });
    expect(ranges.filter(([, range]) => !/^\d+\.\d+\.\d+$/.test(range))).toEqual([]);
    // Packages for other platforms may have no hash in the lock file.
    const unchecked = others.filter(([, { integrity, optional }]) => !optional && !integrity?.startsWith('sha512-'));
    expect(unchecked).toEqual([]);
  });

  it('come from the configured registry, and from no other URL', () => {
    expect(others.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(others.filter(([, { version }]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });
});
