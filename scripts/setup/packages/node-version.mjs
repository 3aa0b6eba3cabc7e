/** Checks the Node version. The minimum is Vite's, which builds the web app and has the highest requirement. */
export function isSupportedNodeVersion(version) {
  const [major, minor] = version.split('.').map(Number);
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
}
