import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(__dirname, '../../..');

function listFiles(folder: string, pattern: RegExp): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.join(folder, file))
    .filter((file) => pattern.test(file) && statSync(path.join(ROOT, file)).isFile())
    .sort();
}

const readText = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const withoutCode = (markdown: string) => markdown.replace(/^ *```[\s\S]*?^ *```$/gm, '').replace(/`[^`\n]*`/g, '');

const PAGES = [
  ...readdirSync(ROOT).filter((file) => file.endsWith('.md')),
  ...['docs', 'deploy', '.github'].flatMap((folder) => listFiles(folder, /\.md$/)),
];

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  const headings = readText(page)
    .replace(/^ *```[\s\S]*?^ *```$/gm, '')
    .matchAll(/^#+ +(.+)$/gm);
  for (const [, heading = ''] of headings) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Says what is wrong with a link from a file, or returns undefined. */
function findLinkError(from: string, link: string): string | undefined {
  const [target = '', anchor] = link.split('#');
  const file = target === '' ? from : path.join(path.dirname(from), target);
  if (!existsSync(path.join(ROOT, file))) return `${link}: no such file`;
  if (anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor)) return `${link}: no such heading`;
  return undefined;
}

function relativeLinksOf(page: string): string[] {
  const text = withoutCode(readText(page));
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|<img[^>]* src="([^"]+)"|^\[[^\]]+\]: (\S+)$/gm)];
  // ../../ leads to other pages of the repository on GitHub, not to files.
  return links
    .map(([, link, image, reference]) => link ?? image ?? reference ?? '')
    .filter((link) => !/^([a-z]+:|\.\.\/(\.\.\/)?(compare|releases|blob)\/)/.test(link));
}

describe('the documentation', () => {
  it.each(PAGES)('has no broken link in %s', (page) => {
    expect(relativeLinksOf(page).flatMap((link) => findLinkError(page, link) ?? [])).toEqual([]);
  });

  it('has every page that sources, settings and scripts refer to', () => {
    const files = ['src', 'web', 'scripts', 'deploy', 'bench', 'chaos'].flatMap((folder) =>
      listFiles(folder, /\.(tsx?|m?js|ya?ml|json|css)$/),
    );
    const broken = files.flatMap((file) =>
      [...readText(file).matchAll(/\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g)].flatMap(
        ([link]) => findLinkError('README.md', link) ?? [],
      ),
    );
    expect(broken).toEqual([]);
  });

  it('shows every image in its folder', () => {
    const text = PAGES.map(readText).join('\n');
    const unused = readdirSync(path.join(ROOT, 'docs/images')).filter((image) => !text.includes(`images/${image}`));
    expect(unused).toEqual([]);
  });
});

describe('the commands in the documentation', () => {
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
  const commandsIn = (page: string) =>
    [...readText(page).matchAll(/\bnpm run ([a-z:]+)/g)].map(([, name = '']) => name);

  it.each(PAGES.filter((page) => page !== 'CHANGELOG.md'))('are all in package.json, in %s', (page) => {
    expect(commandsIn(page).filter((name) => !(name in scripts))).toEqual([]);
  });

  it('are all explained in CONTRIBUTING.md', () => {
    const text = readText('CONTRIBUTING.md');
    const needsNoMention = (name: string) => name === 'parley' || (name.startsWith('pre') && name.slice(3) in scripts);
    const missing = Object.keys(scripts).filter(
      (name) => !needsNoMention(name) && !new RegExp(`npm (run )?${name}(?![:\\w])`).test(text),
    );
    expect(missing).toEqual([]);
  });
});

it('keeps the README below 900 words', () => {
  expect(readText('README.md').split(/\s+/).length).toBeLessThanOrEqual(900);
});
