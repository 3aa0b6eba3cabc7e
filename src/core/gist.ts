import type { Conversation } from '#contract/conversation';
import { headline } from './words';

export interface Gist {
  about: 'question' | 'result' | 'failure' | 'cancel';
  text: string;
}

const LONGEST = 300;

type Told = Pick<Conversation, 'status' | 'question' | 'error' | 'result'>;

/** What there is to know of a conversation on one line: what it asks, why it ended, or what came of it. */
export function gistOf({ status, question, error, result }: Told): Gist | undefined {
  if (question) return gist('question', headline(question));
  if (error) return gist(status === 'cancelled' ? 'cancel' : 'failure', error.message);
  return result === null ? undefined : gist('result', plainLine(result));
}

function gist(about: Gist['about'], text: string): Gist | undefined {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' ? undefined : { about, text: line.slice(0, LONGEST) };
}

const HEADING = /^ {0,3}#{1,6} .*$/gm;

/** Markdown as words on one line. Headings mostly repeat what is above: they go, unless there is nothing else. */
export function plainLine(markdown: string): string {
  return words(markdown.replace(HEADING, '')) || words(markdown);
}

function words(markdown: string): string {
  return markdown
    .replace(/^\s*(?:#{1,6}|[-*+>]|\d{1,3}[.)]) /gm, '')
    .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replace(/\*\*|__|~~|`+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
