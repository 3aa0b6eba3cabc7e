import type { ChildProcess } from 'node:child_process';

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
    return await came(await open(href));
  } catch {
    return false;
  }
}

/** False where it ended in failure; still at it is as good as done, as some wait for the browser. */
function came(opener: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    // Nothing else keeps us here: `open` lets go of what it starts.
    const patience = setTimeout(() => resolve(true), TROUBLE_MS);
    const end = (isOpen: boolean) => {
      clearTimeout(patience);
      resolve(isOpen);
    };
    opener.once('exit', (code) => end(code === 0)).once('error', () => end(false));
  });
}
