import type { KnownBlock } from '@slack/types';
import type { Question } from '../../contract/question';
import { fitted, section } from './words';

/** What fits into one message beside everything else. */
const ARGUMENTS_LENGTH = 6_000;

export interface ShownArguments {
  blocks: KnownBlock[];
  /** Where they cannot be shown word for word, nobody may say "yes" here: what runs is what was seen. */
  isWhole: boolean;
}

/** What a "yes" would let happen, exactly. Set as code, in which nothing is markup. */
export function shownArguments({ confirms }: Question): ShownArguments {
  if (!confirms) return { blocks: [], isWhole: true };
  const { tool, arguments: given } = confirms;
  const title = tool === null ? 'With exactly these arguments:' : `Tool: *${fitted(tool, 300).text}*`;
  if (given === null || given === undefined)
    return { blocks: tool === null ? [] : [section(title)], isWhole: true };
  const [spacious, dense] = [visible(JSON.stringify(given, null, 2)), visible(JSON.stringify(given))];
  const text = [spacious, dense].find((one) => one.length <= ARGUMENTS_LENGTH);
  const cut = () => spacious.slice(0, ARGUMENTS_LENGTH).replace(/[\uD800-\uDBFF]$/, '');
  return { blocks: [section(title), preformatted(text ?? `${cut()}…`)], isWhole: text !== undefined };
}

/** Characters that turn or hide what stands beside them, written out. It is the same JSON. */
function visible(json: string): string {
  return json.replace(
    /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The context without the arguments that Parley wrote into it: they are shown by themselves. */
export function contextOf({ context, confirms }: Question): string {
  if (!context || !confirms) return context ?? '';
  const written = `\`\`\`json\n${JSON.stringify(confirms.arguments, null, 2)}\n\`\`\``;
  return context.endsWith(written) ? context.slice(0, -written.length).trim() : context;
}

function preformatted(text: string): KnownBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }],
  };
}
