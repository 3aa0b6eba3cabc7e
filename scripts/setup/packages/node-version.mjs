/** What Vite needs, which builds the web app, is the most that anything here does. */
export function isSupportedNodeVersion(version) {
  const [major, minor] = version.split('.').map(Number);
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
}
