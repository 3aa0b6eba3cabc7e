const {
  isSupportedNodeVersion,
}: { isSupportedNodeVersion(version: string): boolean } = require('../../../scripts/setup/packages/node-version.mjs');

it.each([
  ['18.20.8', false],
  ['20.18.3', false],
  ['20.19.0', true],
  ['21.7.3', false],
  ['22.11.0', false],
  ['22.12.0', true],
  ['23.0.0', true],
  ['24.1.0', true],
])('accepts or rejects Node %s: %s', (version, willDo) => {
  expect(isSupportedNodeVersion(version)).toBe(willDo);
});
