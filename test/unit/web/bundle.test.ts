import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const BUILT = path.join(__dirname, '../../../dist/web');
const ASSETS = path.join(BUILT, 'assets');
const MOST_BYTES = 200 * 1024;

const page = readFileSync(path.join(BUILT, 'index.html'), 'utf8');
const names = readdirSync(ASSETS);
const code = names.filter((name) => /\.(js|css)$/.test(name));
const textOf = (name: string) => readFileSync(path.join(ASSETS, name), 'utf8');
const kilobytes = (bytes: number) => `${(bytes / 1_024).toFixed(1).padStart(8)} KB`;

/** What a map says the code was made from. */
const sources = names
  .filter((name) => name.endsWith('.js.map'))
  .flatMap((name) => (JSON.parse(textOf(name)) as { sources: string[] }).sources);

describe('what a browser loads', () => {
  it('is less than 200 KB of script and style, compressed', () => {
    const sizes = code.map((name) => ({ name, bytes: gzipSync(textOf(name)).length }));
    const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    const lines = [...sizes, { name: 'in all', bytes: all }].map(({ name, bytes }) => `${kilobytes(bytes)}  ${name}`);
    process.stdout.write(`\nScript and style of the web app, gzip:\n${lines.join('\n')}\n`);
    expect(sizes.length).toBeGreaterThan(1);
    expect(all).toBeLessThan(MOST_BYTES);
  });

  it('has one font for pages in Latin letters, and others only for those who need them', () => {
    const styles = code
      .filter((name) => name.endsWith('.css'))
      .map(textOf)
      .join('\n');
    const faces = [...styles.matchAll(/@font-face\s*\{[^}]*\}/g)].map(([face]) => face);
    const latin = faces.filter((face) => /unicode-range:\s*U\+(\?\?|0*-0*ff)(?![\da-f])/i.test(face));
    const files = latin.flatMap((face) => /assets\/([^)"']+\.woff2)/.exec(face)?.[1] ?? []);
    const sized = files.map((file) => `${kilobytes(readFileSync(path.join(ASSETS, file)).length)}  ${file}`);
    process.stdout.write(`\nFonts for a page in Latin letters:\n${sized.join('\n')}\n`);
    expect(files).toHaveLength(1);
    for (const face of faces) {
      expect(face).toContain('unicode-range');
      expect(face).toMatch(/font-display:\s*swap/);
    }
  });

  it('holds neither the schemas nor anything of Node', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((source) => /node_modules\/(zod|express|@temporalio|@anthropic-ai)\//.test(source))).toEqual(
      [],
    );
    // What is shown and said the same everywhere.
    const shared =
      /(^|\/)src\/core\/(control|danger|filling|gist|kept-result|question-key|shown-action|times|urgency|words)\.ts$/;
    const own = /(^|\/)(src\/(core|api|workflows|tools|model|channels)|test)\//;
    expect(sources.filter((source) => own.test(source) && !shared.test(source))).toEqual([]);
    for (const name of code) expect(textOf(name)).not.toMatch(/["'`]node:|\bZodError\b|\brequire\(["']/);
  });

  it('asks nobody else for anything', () => {
    const elsewhere = /(?:url\(|src=|href=|import\s*\(?\s*|fetch\()["']?https?:/;
    for (const text of [page, ...code.map(textOf)]) expect(text).not.toMatch(elsewhere);
  });
});

describe('the page', () => {
  it('has no script or style within it', () => {
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/i);
    const scripts = [...page.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)];
    expect(scripts.length).toBeGreaterThan(0);
    for (const [, attributes, within] of scripts) {
      expect(attributes).toMatch(/\ssrc="/);
      expect(within?.trim()).toBe('');
    }
  });

  it('names only files that are there', () => {
    const named = [...page.matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, file = '']) => file);
    expect(named.filter((file) => file.startsWith('assets/')).length).toBeGreaterThan(1);
    for (const file of named.filter((one) => one !== 'docs'))
      expect([file, existsSync(path.join(BUILT, file))]).toEqual([file, true]);
  });
});
