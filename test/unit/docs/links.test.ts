import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(__dirname, '../../..');
const markdownIn = (folder: string) =>
  readdirSync(path.join(ROOT, folder), { recursive: folder !== '.', encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join(folder, file));
const pages = ['.', 'docs', 'deploy'].flatMap(markdownIn);

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8').replace(/^( *)```[\s\S]*?^\1```$/gm, '');

/** Anchors as GitHub makes them from headings, and those written as HTML. */
function anchorsOf(file: string): string[] {
  const text = read(file);
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

const links = pages.flatMap((page) =>
  [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target): [page: string, target: string] => [page, target]),
);

describe('the documentation', () => {
  it('has links', () => expect(links.length).toBeGreaterThan(100));

  it.each(links)('leads from %s to %s', (page, target) => {
    const [file = '', anchor] = target.split('#');
    const linked = file === '' ? page : path.join(path.dirname(page), file);
    expect(existsSync(path.join(ROOT, linked))).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(linked)).toContain(anchor);
  });
});
