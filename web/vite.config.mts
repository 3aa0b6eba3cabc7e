import { defaultClientConditions, defineConfig } from 'vite';

/** The API serves what this builds, under a policy that lets in no inline script, style or image. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
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
  },
});
