import type { EmailChoice, EmailContent, EmailPart } from './content';

const LINE_WIDTH = 72;
/** Not a signature mark (`-- `), since mail programs leave signatures out of quotes, and with it the token. */
const FOOTER_RULE = '-'.repeat(20);

/** Renders the email as plain text: wrapped, with each link on its own line. */
export function renderEmailText({ heading, parts, footer }: EmailContent): string {
  const head = [...wrapLine(heading.from), ...(heading.title ? wrapLine(heading.title) : [])];
  const blocks = [head, ...parts.map(renderPartLines), [FOOTER_RULE, ...footer.flatMap((line) => wrapLine(line))]];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function renderPartLines(part: EmailPart): string[] {
  switch (part.kind) {
    case 'question':
    case 'paragraph':
    case 'hint':
      return part.text.split('\n').flatMap((line) => wrapLine(line));
    case 'markdown':
      return renderMarkdownLines(part.text);
    case 'preformatted':
      return [...wrapLine(part.label), '', ...part.text.split('\n').map((line) => `    ${line}`)];
    case 'choices': {
      const hasLinks = part.isSingleChoice && part.choices.length <= MAX_LINKED_CHOICES;
      return part.choices.flatMap((choice) => renderChoiceLines(choice, hasLinks));
    }
    case 'facts':
      return part.facts.flatMap(([name, value]) => [
        ...wrapLine(name),
        ...value.split('\n').map((line) => `  ${line}`),
      ]);
    case 'button':
      return [`${part.label}:`, part.url];
  }
}

/** More links would make the text hard to read. */
const MAX_LINKED_CHOICES = 6;

function renderChoiceLines({ number, label, description, url }: EmailChoice, hasLink: boolean): string[] {
  const mark = number === undefined ? '  * ' : `  ${number}. `;
  const indent = ' '.repeat(mark.length);
  const lines = wrapLine(`${mark}${label}${description ? ` (${description})` : ''}`, indent);
  return hasLink && url ? [...lines, url] : lines;
}

/** Renders Markdown as it is, wrapping lines except in code and tables. */
function renderMarkdownLines(text: string): string[] {
  let isCode = false;
  return text.split('\n').flatMap((line) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    return isCode || /^\s{4}|\|/.test(line) ? [line] : wrapLine(line);
  });
}

/** Wraps text at words. A word that is longer than a line, such as a URL, gets a line of its own. */
function wrapLine(text: string, indent = ''): string[] {
  const [lead = ''] = /^\s*/.exec(text) ?? [];
  const lines: string[] = [];
  let line = lead;
  for (const word of text.trim().split(/\s+/)) {
    if (line.trim() !== '' && line.length + word.length >= LINE_WIDTH) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
