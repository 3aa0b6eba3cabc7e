import type { Run } from '#cli/context';
import { EXIT, misuse } from '#cli/exit';
import { checkFree, writeWhole } from '#cli/whole-file';
import { writtenOut } from '#core/shown-action';

interface Options {
  output?: string;
  force?: true;
}

export const run: Run<Options> = async (
  context,
  { words: [id = ''], options: { output, force = false } },
) => {
  const { parley, terminal, isJson } = context;
  if (output === '') throw misuse('--output takes the name of a file.');
  if (output !== undefined && !force) await checkFree(output);
  const document = await parley.export(id);
  if (output === undefined) {
    terminal.printJson(document);
    return EXIT.completed;
  }
  await writeWhole(output, `${writtenOut(JSON.stringify(document, null, 2))}\n`, force);
  if (isJson) terminal.printJson({ id, output });
  else terminal.print(`Written to ${output}.`);
  return EXIT.completed;
};
