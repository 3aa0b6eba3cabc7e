import { type Fitted, fitted } from './words';

const FENCE = /^\s*```/;
/** What closing a block of code takes. */
const CLOSING = '\n```';

/** A few lines of Markdown in Slack's own markup. Nothing in them links or mentions: addresses stand there as text. */
export function mrkdwn(markdown: string, most: number): Fitted {
  const { text, isCut } = fitted(markdown, most - CLOSING.length);
  let isCode = false;
  const lines = text.split('\n').map((line) => {
    if (FENCE.test(line)) {
      isCode = !isCode;
      return '```';
    }
    return isCode ? line : lineOf(line);
  });
  return { text: `${lines.join('\n')}${isCode ? CLOSING : ''}`, isCut };
}

function lineOf(line: string): string {
  return line
    .replace(/^#{1,6}\s+(.+?)\s*#*$/, (_whole, title: string) => `*${title.replaceAll('*', '')}*`)
    .replace(/^(\s*)[-*+]\s+/, '$1• ')
    .replace(/\*\*([^*\n]+)\*\*/g, '*$1*')
    .replace(/!?\[([^\]\n]*)\]\(([^)\s]*)\)/g, '$1 ($2)');
}
