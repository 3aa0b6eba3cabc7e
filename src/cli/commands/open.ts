import type { ChildProcess } from 'node:child_process';
import type { CommandContext, CommandHandler } from '#cli/context';
import { EXIT } from '#cli/errors';
import { sanitizeLine } from '#cli/render/sanitize';
import type { Conversation } from '#contract/conversation';

interface Options {
  temporal?: true;
  print?: true;
}

export const runOpen: CommandHandler<Options> = async (context, { args: [id = ''], options }) => {
  const { terminal, isJson, env } = context;
  const { links } = await context.parley.get(id);
  if (isJson) terminal.printJson({ id, web: links.web, temporal: links.temporal });
  else if (!terminal.isInteractive)
    terminal.print(`web\t${sanitizeLine(links.web)}`, `temporal\t${sanitizeLine(links.temporal)}`);
  else {
    printLinks(context, links);
    if (options.print) return EXIT.completed;
    const isOpen = hasBrowser(env) && (await openInBrowser(options.temporal ? links.temporal : links.web));
    terminal.print(
      terminal.style.dim(isOpen ? 'Opened in your browser.' : "Can't open a browser here. Use a link above."),
    );
  }
  return EXIT.completed;
};

function printLinks({ terminal }: CommandContext, { web, temporal }: Conversation['links']): void {
  const { dim, accent } = terminal.style;
  terminal.print(
    `${dim('Web app    ')}  ${accent(sanitizeLine(web))}`,
    `${dim('Temporal UI')}  ${accent(sanitizeLine(temporal))}`,
  );
}

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
