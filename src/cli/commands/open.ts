import { hasBrowser, openPage } from '#cli/browser';
import type { Context, Run } from '#cli/context';
import { EXIT } from '#cli/exit';
import { safeLine } from '#cli/text/safe';
import type { Conversation } from '#contract/conversation';

interface Options {
  temporal?: true;
  print?: true;
}

export const run: Run<Options> = async (context, { words: [id = ''], options }) => {
  const { terminal, isJson, env } = context;
  const { links } = await context.parley.get(id);
  if (isJson) terminal.printJson({ id, web: links.web, temporal: links.temporal });
  else if (!terminal.isInteractive)
    terminal.print(`web\t${safeLine(links.web)}`, `temporal\t${safeLine(links.temporal)}`);
  else {
    show(context, links);
    if (options.print) return EXIT.completed;
    const isOpen = hasBrowser(env) && (await openPage(options.temporal ? links.temporal : links.web));
    terminal.print(
      terminal.style.dim(
        isOpen ? 'Opened in your browser.' : 'There is no browser here: open a link yourself.',
      ),
    );
  }
  return EXIT.completed;
};

function show({ terminal }: Context, { web, temporal }: Conversation['links']): void {
  const { dim, accent } = terminal.style;
  terminal.print(
    `${dim('Web app    ')}  ${accent(safeLine(web))}`,
    `${dim('Temporal UI')}  ${accent(safeLine(temporal))}`,
  );
}
