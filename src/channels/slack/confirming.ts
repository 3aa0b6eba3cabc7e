import type { KnownBlock } from '@slack/types';
import type { Question } from '#contract/question';
import { shownArguments, writtenOut } from '#core/shown-action';
import { fitted, section } from './words';

/** What fits into one message beside everything else. */
const ARGUMENTS_LENGTH = 6_000;

export interface ShownAction {
  blocks: KnownBlock[];
  /** Where they cannot be shown word for word, nobody may say "yes" here: what runs is what was seen. */
  isWhole: boolean;
}

/** What a "yes" would let happen, exactly. Set as code, in which nothing is markup. */
export function shownAction({ confirms }: Question): ShownAction {
  if (!confirms) return { blocks: [], isWhole: true };
  const { tool, arguments: given } = confirms;
  const title = tool === null ? 'With exactly these arguments:' : `Tool: *${fitted(tool, 300).text}*`;
  if (given === null || given === undefined)
    return { blocks: tool === null ? [] : [section(title)], isWhole: true };
  const [spacious, dense] = [shownArguments(given), writtenOut(JSON.stringify(given))];
  const text = [spacious, dense].find((one) => one.length <= ARGUMENTS_LENGTH);
  const cut = () => spacious.slice(0, ARGUMENTS_LENGTH).replace(/[\uD800-\uDBFF]$/, '');
  return { blocks: [section(title), preformatted(text ?? `${cut()}…`)], isWhole: text !== undefined };
}

function preformatted(text: string): KnownBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }],
  };
}
