import type { Choice, Letter, Part } from './letter';

const WIDTH = 72;
/** Not the mark of a signature: programs leave that out of what they quote, and with it the reference. */
const RULE = '-'.repeat(20);

/** The mail for those who read text: wrapped, with each link on a line of its own. */
export function asText({ heading, parts, footer }: Letter): string {
  const head = [...wrapped(heading.who), ...(heading.title ? wrapped(heading.title) : [])];
  const blocks = [head, ...parts.map(linesOf), [RULE, ...footer.flatMap((line) => wrapped(line))]];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function linesOf(part: Part): string[] {
  switch (part.kind) {
    case 'question':
    case 'paragraph':
    case 'hint':
      return part.text.split('\n').flatMap((line) => wrapped(line));
    case 'markdown':
      return markdownLines(part.text);
    case 'exact':
      return [...wrapped(part.label), '', ...part.text.split('\n').map((line) => `    ${line}`)];
    case 'choices':
      return part.choices.flatMap((choice) => choiceLines(choice, isLinked(part)));
    case 'facts':
      return part.facts.flatMap(([name, value]) => [
        ...wrapped(name),
        ...value.split('\n').map((line) => `  ${line}`),
      ]);
    case 'button':
      return [`${part.label}:`, part.url];
  }
}

/** More links than that are in the way of what one reads. */
const LINKED = 6;

function isLinked({ choices, isOne }: { choices: Choice[]; isOne: boolean }): boolean {
  return isOne && choices.length <= LINKED;
}

function choiceLines({ number, label, description, url }: Choice, hasLink: boolean): string[] {
  const mark = number === undefined ? '  * ' : `  ${number}. `;
  const indent = ' '.repeat(mark.length);
  const lines = wrapped(`${mark}${label}${description ? ` (${description})` : ''}`, indent);
  return hasLink && url ? [...lines, url] : lines;
}

/** Code keeps its lines. */
function markdownLines(text: string): string[] {
  let isCode = false;
  return text.split('\n').flatMap((line) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    return isCode || /^\s{4}|\|/.test(line) ? [line] : wrapped(line);
  });
}

/** A word that is longer than a line, as an address, gets one of its own. */
function wrapped(text: string, indent = ''): string[] {
  const [lead = ''] = /^\s*/.exec(text) ?? [];
  const lines: string[] = [];
  let line = lead;
  for (const word of text.trim().split(/\s+/)) {
    if (line.trim() !== '' && line.length + word.length >= WIDTH) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
