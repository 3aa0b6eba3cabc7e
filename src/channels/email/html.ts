import { escaped } from '#core/html';
import type { Choice, Letter, Part } from './letter';
import { markdownHtml } from './markdown';
import { DARK, STYLE } from './style';

/** The mail as HTML: styles inline, since mail programs drop sheets, and a sheet for those that know dark and light. */
export function asHtml({ subject, preview, heading, parts, footer }: Letter): string {
  const title = heading.title ? `<div ${of('title')} dir="auto">${escaped(heading.title)}</div>` : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>${DARK}</style>
</head>
<body ${of('page')}>
<div style="display:none;max-height:0;overflow:hidden;opacity:0">${escaped(preview)}${'&#847; &zwnj; '.repeat(40)}</div>
<div ${of('frame')}>
<div ${of('card')}>
<div ${of('who')} dir="auto">${escaped(heading.who)}</div>
${title}
${parts.map(partHtml).join('\n')}
</div>
<div ${of('footer')}>${footer.map((line) => `<p ${of('small')}>${escaped(line)}</p>`).join('\n')}</div>
</div>
</body>
</html>
`;
}

function partHtml(part: Part): string {
  switch (part.kind) {
    case 'question':
      return `<h1 ${of('question')} dir="auto">${lines(part.text)}</h1>`;
    case 'paragraph':
      return `<p ${of('paragraph')} dir="auto">${lines(part.text)}</p>`;
    case 'hint':
      return `<p ${of('hint')} dir="auto">${lines(part.text)}</p>`;
    case 'markdown':
      return `<div ${of('context')} dir="auto">${markdownHtml(part.text)}</div>`;
    case 'exact':
      return `<p ${of('label')}>${escaped(part.label)}</p>\n<pre ${of('code')}>${escaped(part.text)}</pre>`;
    case 'choices':
      return part.choices.map(choiceHtml).join('\n');
    case 'facts':
      return part.facts.map(factHtml).join('\n');
    case 'button':
      return `<p ${of('buttons')}><a href="${escaped(part.url)}" ${of('button')}>${escaped(part.label)}</a></p>`;
  }
}

function choiceHtml({ number, label, description, url }: Choice): string {
  const mark = number === undefined ? '' : `<span ${of('number')}>${number}</span> `;
  const more = description ? `<br><span ${of('description')}>${escaped(description)}</span>` : '';
  const text = `${mark}<strong>${escaped(label)}</strong>${more}`;
  if (!url) return `<div ${of('choice')} dir="auto">${text}</div>`;
  return `<a href="${escaped(url)}" ${of('choice')} dir="auto">${text}</a>`;
}

function factHtml([name, value]: [string, string]): string {
  return `<p ${of('fact')} dir="auto"><span ${of('name')}>${escaped(name)}</span><br>${lines(value)}</p>`;
}

function of(name: keyof typeof STYLE): string {
  return `class="${name}" style="${STYLE[name]}"`;
}

function lines(text: string): string {
  return escaped(text).replaceAll('\n', '<br>');
}
