import { createHash } from 'node:crypto';
import { HASH_LENGTH, NAME_LENGTH, OF, plainName, STEM_LENGTH } from '#core/permission';

/** A server's tools by the names the model calls them by. The same tools get the same names, in whatever order. */
export function nameTools<T extends { name: string }>(server: string, tools: T[]): Map<string, T> {
  const distinct = tools.filter((tool, index) => tools.findIndex(({ name }) => name === tool.name) === index);
  const plain = distinct.map(({ name }) => plainName(server, name));
  const named = distinct.map((tool, index): [string, T] => {
    const name = plain[index] ?? '';
    const isAlone = plain.indexOf(name) === plain.lastIndexOf(name);
    const isAsWritten = name === `${server}${OF}${tool.name}`;
    const fits = name.length <= NAME_LENGTH && (isAlone || isAsWritten);
    return [fits ? name : withHash(name, tool.name), tool];
  });
  return new Map(named);
}

function withHash(name: string, tool: string): string {
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_LENGTH);
  return `${name.slice(0, STEM_LENGTH)}_${hash}`;
}
