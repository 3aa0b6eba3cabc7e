import { randomBytes } from 'node:crypto';
import { access, link, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CommandHandler } from '#cli/context';
import { CommandError, EXIT, usageError } from '#cli/errors';
import { escapeInvisible } from '#presentation/confirmation';

interface Options {
  output?: string;
  force?: true;
}

export const runExport: CommandHandler<Options> = async (
  context,
  { args: [id = ''], options: { output, force = false } },
) => {
  const { parley, terminal, isJson } = context;
  if (output === '') throw usageError('--output requires a file name.');
  if (output !== undefined && !force) await assertFileAbsent(output);
  const document = await parley.export(id);
  if (output === undefined) {
    terminal.printJson(document);
    return EXIT.completed;
  }
  await writeFileAtomically(output, `${escapeInvisible(JSON.stringify(document, null, 2))}\n`, force);
  if (isJson) terminal.printJson({ id, output });
  else terminal.print(`Written to ${output}.`);
  return EXIT.completed;
};

/** Throws if the file exists. Called before anything is fetched. */
async function assertFileAbsent(file: string): Promise<void> {
  const isTaken = await access(file).then(
    () => true,
    () => false,
  );
  if (isTaken) throw fileExistsError(file);
}

/** Writes all or nothing: a temporary file first, then one rename, or a link, which fails if the file now exists. */
export async function writeFileAtomically(file: string, text: string, isForced: boolean): Promise<void> {
  const temporaryFile = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(4).toString('hex')}.part`);
  try {
    await writeFile(temporaryFile, text, { flag: 'wx' });
    await (isForced ? rename(temporaryFile, file) : link(temporaryFile, file));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw fileExistsError(file);
    throw new CommandError(EXIT.failed, `Can't write ${file}: ${WRITE_ERROR_REASONS[code] ?? message}.`, 'not_written');
  } finally {
    await rm(temporaryFile, { force: true });
  }
}

const WRITE_ERROR_REASONS: Record<string, string> = {
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'the folder does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the name is too long',
};

function fileExistsError(file: string): CommandError {
  return usageError(`${file} already exists. Choose another name, or overwrite it with --force.`);
}
