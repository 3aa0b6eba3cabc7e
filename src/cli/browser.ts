import { once } from 'node:events';

/** Long enough for whatever opens pages to find that it cannot. */
const TROUBLE_MS = 1_500;

/** On Linux a browser needs a screen to be on; elsewhere there is always one. */
export function hasBrowser(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): boolean {
  if (platform !== 'linux') return true;
  return [env.DISPLAY, env.WAYLAND_DISPLAY, env.BROWSER, env.WSL_DISTRO_NAME].some(Boolean);
}

/** Opens a page, and nothing else: an address from elsewhere could be that of a program. False where it did not open. */
export async function openPage(address: string): Promise<boolean> {
  if (!URL.canParse(address)) return false;
  const { protocol, href } = new URL(address);
  if (protocol !== 'https:' && protocol !== 'http:') return false;
  const { default: open } = await import('open');
  try {
    const opener = await open(href);
    const ended = once(opener, 'exit', { signal: AbortSignal.timeout(TROUBLE_MS) });
    // Still at it is as good as done: some wait for the browser.
    const [code] = await ended.catch((error: Error) => (error.name === 'AbortError' ? [0] : [1]));
    return code === 0;
  } catch {
    return false;
  }
}
