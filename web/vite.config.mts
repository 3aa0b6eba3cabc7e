import path from 'node:path';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** What is changed in Redoc's bundle. Each text has to be there: if a new version reads otherwise, the build fails. */
const REDOC_REPLACEMENTS: [string, string][] = [
  // Its logo comes from a CDN, and is left out where it cannot be shown. No page may ask another site for anything.
  ['https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,'],
  // A placeholder for what a browser does not need. No such module exists.
  ['require("null")', 'undefined'],
  // Colours that are the same in every theme. The app's are readable in light and dark.
  ['color: #0e7c86;', 'color: var(--accent);'],
  ['color: rgba(38, 50, 56, 0.7);', 'color: var(--ink-soft);'],
  ['color: black;', 'color: var(--ink);'],
  ['color: #263238;', 'color: var(--ink);'],
  ['background: white;', 'background: var(--surface);'],
  ['background: #ffffff;', 'background: var(--paper);'],
  ['background-color: white;', 'background-color: var(--surface);'],
  ['color: white;\\n      background-color', 'color: var(--on-accent);\\n      background-color'],
];

const adaptRedoc: Plugin = {
  name: 'adapt-redoc',
  transform: {
    filter: { id: /redoc\.standalone\.js$/ },
    handler(code) {
      const adapted = REDOC_REPLACEMENTS.reduce((text, [from, to]) => {
        if (!text.includes(from)) throw new Error(`Redoc has no ${from} any more: see web/vite.config.mts.`);
        return text.replaceAll(from, to);
      }, code);
      return { code: adapted, map: { mappings: '' } };
    },
  },
};

/** The API serves what this builds, under policies that let in no inline script, and nothing of another site. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [adaptRedoc],
  // `imports` in package.json: the sources, not what was compiled from them.
  resolve: { conditions: ['parley-source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic' } },
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    sourcemap: true,
    rolldownOptions: {
      input: {
        index: path.join(import.meta.dirname, 'index.html'),
        docs: path.join(import.meta.dirname, 'docs/index.html'),
      },
    },
  },
});
