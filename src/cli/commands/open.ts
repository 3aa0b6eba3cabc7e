import type { ChildProcess } from 'node:child_process';
import type { CommandHandler } from '#cli/context';
import { EXIT } from '#cli/errors';
import { sanitizeLine } from '#cli/render/sanitize';

interface Options {
  temporal?: true;
}

export const runOpen: CommandHandler<Options> = async (
  { parley, terminal, isJson, env },
  { args: [id = ''], options },
) => {
  const { web, temporal } = (await parley.get(id)).links;
  const { dim, accent } = terminal.style;
  if (isJson) terminal.printJson({ id, web, temporal });
  else if (!terminal.isInteractive) terminal.print(`web\t${sanitizeLine(web)}`, `temporal\t${sanitizeLine(temporal)}`);
  else {
    terminal.print(`${dim('Web app    ')}  ${accent(sanitizeLine(web))}`);
    terminal.print(`${dim('Temporal UI')}  ${accent(sanitizeLine(temporal))}`);
    const isOpen = hasBrowser(env) && (await openInBrowser(options.temporal ? temporal : web));
    terminal.print(dim(isOpen ? 'Opened in your browser.' : "Can't open a browser here. Use a link above."));
  }
  return EXIT.completed;
};

/** Time in which a failing opener exits. */
const OPENER_TIMEOUT_MS = 1_500;

/** Returns whether a browser can be opened. On Linux it needs a display; other systems always have one. */
export function hasBrowser(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): boolean {
  if (platform !== 'linux') return true;
  return [env.DISPLAY, env.WAYLAND_DISPLAY, env.BROWSER, env.WSL_DISTRO_NAME].some(Boolean);
}

/** Opens http(s) URLs only, because any other URL could start a program. Returns false if it did not open. */
export async function openInBrowser(address: string): Promise<boolean> {
  if (!URL.canParse(address)) return false;
  const { protocol, href } = new URL(address);
  if (protocol !== 'https:' && protocol !== 'http:') return false;
  const { default: open } = await import('open');
  try {
    return await waitForOpener(await open(href));
  } catch {
    return false;
  }
}

/**
 * Returns false if the opener failed. A running opener counts as success, because some wait for the browser to close.
 */
function waitForOpener(opener: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    // The timer keeps the process alive: `open` unrefs the child.
    const timeout = setTimeout(() => resolve(true), OPENER_TIMEOUT_MS);
    const finish = (isOpen: boolean) => {
      clearTimeout(timeout);
      resolve(isOpen);
    };
    opener.once('exit', (code) => finish(code === 0)).once('error', () => finish(false));
  });
}
