import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const BUILD_FOLDER = path.join(__dirname, '../../../dist/web');
const ASSETS = path.join(BUILD_FOLDER, 'assets');
const MAX_BYTES = 200 * 1024;
const MAX_REFERENCE_BYTES = 350 * 1024;

const page = readFileSync(path.join(BUILD_FOLDER, 'index.html'), 'utf8');
const isOfReference = (name: string) => name.startsWith('docs-');
/** Files of the app's own pages. */
const allAssetNames = readdirSync(ASSETS).filter((name) => !isOfReference(name));
const assetNames = allAssetNames.filter((name) => /\.(js|css)$/.test(name));
const readAsset = (name: string) => readFileSync(path.join(ASSETS, name), 'utf8');
const kilobytes = (bytes: number) => `${(bytes / 1_024).toFixed(1).padStart(8)} KB`;

/** The source files that the source maps name. */
const sources = allAssetNames
  .filter((name) => name.endsWith('.js.map'))
  .flatMap((name) => (JSON.parse(readAsset(name)) as { sources: string[] }).sources);

describe('what a browser loads', () => {
  it('is less than 200 KB of scripts and styles, compressed', () => {
    const sizes = assetNames.map((name) => ({ name, bytes: gzipSync(readAsset(name)).length }));
    const totalBytes = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    const lines = [...sizes, { name: 'in all', bytes: totalBytes }].map(
      ({ name, bytes }) => `${kilobytes(bytes)}  ${name}`,
    );
    process.stdout.write(`\nScript and style of the web app, gzip:\n${lines.join('\n')}\n`);
    expect(sizes.length).toBeGreaterThan(1);
    expect(totalBytes).toBeLessThan(MAX_BYTES);
  });

  it('is less than 350 KB for the API reference, none of which the app loads', () => {
    const names = readdirSync(ASSETS).filter((name) => isOfReference(name) && /\.(js|css)$/.test(name));
    expect(names).toHaveLength(2);
    const totalBytes = names.reduce((sum, name) => sum + gzipSync(readAsset(name)).length, 0);
    expect(totalBytes).toBeLessThan(MAX_REFERENCE_BYTES);
    for (const text of [page, ...assetNames.map(readAsset)])
      expect(text).not.toMatch(/assets\/docs-|\/docs-[\w-]+\.js/);
  });

  it('has one font for pages in Latin script, and loads others only if needed', () => {
    const styles = assetNames
      .filter((name) => name.endsWith('.css'))
      .map(readAsset)
      .join('\n');
    const fontFaces = [...styles.matchAll(/@font-face\s*\{[^}]*\}/g)].map(([fontFace]) => fontFace);
    const latinFaces = fontFaces.filter((fontFace) => /unicode-range:\s*U\+(\?\?|0*-0*ff)(?![\da-f])/i.test(fontFace));
    const files = latinFaces.flatMap((fontFace) => /assets\/([^)"']+\.woff2)/.exec(fontFace)?.[1] ?? []);
    const sizeLines = files.map((file) => `${kilobytes(readFileSync(path.join(ASSETS, file)).length)}  ${file}`);
    process.stdout.write(`\nFonts for a page in Latin letters:\n${sizeLines.join('\n')}\n`);
    expect(files).toHaveLength(1);
    for (const fontFace of fontFaces) {
      expect(fontFace).toContain('unicode-range');
      expect(fontFace).toMatch(/font-display:\s*swap/);
    }
  });

  it('contains neither the schemas nor Node modules', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(
      sources.filter((source) => /node_modules\/(zod|re2js|express|@temporalio|@anthropic-ai)\//.test(source)),
    ).toEqual([]);
    // Modules shared with the web app.
    const allowedSource =
      /(^|\/)src\/core\/(json|timeline|conversation\/usage|schema\/(describe-schema|formats)|tools\/stored-result-marker)\.ts$/;
    const serverSource =
      /(^|\/)(src\/(activities|agents|api|archive|channels|core|infra|models|tools|worker|workflows)|test)\//;
    expect(sources.filter((source) => serverSource.test(source) && !allowedSource.test(source))).toEqual([]);
    for (const name of assetNames) expect(readAsset(name)).not.toMatch(/["'`]node:|\bZodError\b|\brequire\(["']/);
  });

  it('requests nothing from other sites', () => {
    const externalReference = /(?:url\(|src=|href=|import\s*\(?\s*|fetch\()["']?https?:/;
    for (const text of [page, ...assetNames.map(readAsset)]) expect(text).not.toMatch(externalReference);
  });
});

describe('the page', () => {
  it('has no inline script or style', () => {
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/i);
    const scripts = [...page.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)];
    expect(scripts.length).toBeGreaterThan(0);
    for (const [, attributes, content] of scripts) {
      expect(attributes).toMatch(/\ssrc="/);
      expect(content?.trim()).toBe('');
    }
  });

  it('refers only to existing files', () => {
    const referencedFiles = [...page.matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, file = '']) => file);
    expect(referencedFiles.filter((file) => file.startsWith('assets/')).length).toBeGreaterThan(1);
    for (const file of referencedFiles.filter((reference) => reference !== 'docs'))
      expect([file, existsSync(path.join(BUILD_FOLDER, file))]).toEqual([file, true]);
  });
});
