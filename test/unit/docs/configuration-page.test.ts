import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CHANNELS } from '#channels/registry';
import { Environment } from '#infra/config';

const ROOT = path.join(__dirname, '../../..');
const page = readFileSync(path.join(ROOT, 'docs/reference/configuration.md'), 'utf8');
const listed = [...page.matchAll(/^\| `([A-Z][A-Z0-9_]*\*?)`/gm)].map(([, name = '']) => name);

/** The names that match in the sources of a folder. */
function namesIn(folder: string, pattern: RegExp): string[] {
  const files = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.m?[jt]s$/.test(file))
    .flatMap((file) => [...readFileSync(path.join(ROOT, folder, file), 'utf8').matchAll(pattern)])
    .flatMap(([, names = '']) => names.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []);
}

const READS = /\benv(?:ironment)?\.([A-Z][A-Z0-9_]+)\b/g;
const DESTRUCTURED = /\{([^{}]*)\} = environment\b/g;

const schemas = [Environment, ...CHANNELS.flatMap(({ environment }) => environment ?? [])];
const readBySource = [
  ...schemas.flatMap(({ shape }) => Object.keys(shape)),
  ...namesIn('src', READS),
  ...namesIn('src', DESTRUCTURED),
];
/** `envconfig` also reads profiles and a codec, which Parley does not use. */
const readByTemporal = namesIn('node_modules/@temporalio/envconfig/lib', /\['(TEMPORAL_[A-Z_]+)'\]/g).filter(
  (name) => !/_(CODEC_\w+|PROFILE|CONFIG_FILE)$/.test(name),
);

describe('docs/reference/configuration.md', () => {
  it('is compared with the variables that the sources read', () => {
    expect(readBySource).toEqual(
      expect.arrayContaining(['PORT', 'PARLEY_URL', 'AWS_REGION', 'AWS_SESSION_TOKEN', 'SLACK_BOT_TOKEN']),
    );
  });

  it('has every variable that Parley reads', () => {
    const isListed = (name: string) => listed.some((row) => row === name || new RegExp(`^${row}\\w+$`).test(name));
    const used = [...readBySource, ...readByTemporal, ...namesIn('scripts/setup', READS)];
    expect([...new Set(used)].filter((name) => !isListed(name) && !['PATH', 'HOME'].includes(name))).toEqual([]);
  });

  it('has no variable that nothing reads, and none twice', () => {
    const named = ['src', 'scripts', 'test', 'node_modules/@temporalio/envconfig/lib'].map((folder) =>
      namesIn(folder, /\b([A-Z][A-Z0-9_]+)\b/g),
    );
    const everywhere = new Set(named.flat());
    expect(listed.filter((row) => !row.endsWith('*') && !everywhere.has(row))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });
});
