/** Renders the frames of a screen as one animated image: frames side by side, moved by CSS without a script. */
import stringWidth from 'string-width';
import { splitStyledText } from './ansi.mjs';

const CELL = { width: 8.4, height: 18 };
const MARGIN = { side: 16, top: 40, bottom: 14 };
const COLORS = ['#6b7280', '#f7768e', '#9ece6a', '#e0af68', '#7aa2f7', '#bb9af7', '#7dcfff', '#c0caf5'];
const FOREGROUND = '#c9d1d9';
const BACKGROUND = '#0d1117';
const LAST_SECONDS = 3;

/** Renders `frames`, `[{seconds, lines}]`, the first at 0 seconds. */
export function renderSvg(frames, { columns, rows, title }) {
  const width = columns * CELL.width + 2 * MARGIN.side;
  const height = rows * CELL.height + MARGIN.top + MARGIN.bottom;
  const total = frames.at(-1).seconds + LAST_SECONDS;
  const lines = uniqueLines(frames);
  const steps = frames.map(({ seconds }, index) => {
    const percent = ((seconds / total) * 100).toFixed(3);
    return `${percent}%{transform:translateX(${round(-index * width)}px)}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" role="img" aria-label="${escapeXml(title)}">
<title>${escapeXml(title)}</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${FOREGROUND};white-space:pre}
.b{font-weight:700}.d{opacity:.6}${COLORS.map((color, index) => `.c${index}{fill:${color}}`).join('')}
.film{animation:play ${total.toFixed(2)}s steps(1,end) infinite}
@keyframes play{${steps.join('')}}
@media (prefers-reduced-motion:reduce){.film{animation:none;transform:translateX(${round(-(frames.length - 1) * width)}px)}}
</style>
<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>
<circle cx="20" cy="18" r="6" fill="#ff5f57"/><circle cx="40" cy="18" r="6" fill="#febc2e"/><circle cx="60" cy="18" r="6" fill="#28c840"/>
<text x="${round(width / 2)}" y="23" text-anchor="middle" class="d">${escapeXml(title)}</text>
<defs>${[...lines].map(([line, id]) => `<g id="${id}">${renderLine(line)}</g>`).join('\n')}</defs>
<clipPath id="screen"><rect width="${round(width)}" height="${round(height - MARGIN.top)}"/></clipPath>
<g transform="translate(0 ${MARGIN.top})" clip-path="url(#screen)"><g class="film">
${frames.map((frame, index) => renderFrame(frame, index * width, lines)).join('\n')}
</g></g>
</svg>
`;
}

/** Lists the distinct lines, because a line that is in many frames is written once. */
function uniqueLines(frames) {
  const ids = new Map();
  for (const line of frames.flatMap(({ lines }) => lines))
    if (line.trim() !== '' && !ids.has(line)) ids.set(line, `l${ids.size}`);
  return ids;
}

function renderFrame({ lines }, left, ids) {
  const uses = lines.flatMap((line, row) => {
    const id = ids.get(line);
    return id ? [`<use href="#${id}" y="${row * CELL.height}"/>`] : [];
  });
  return `<g transform="translate(${round(left + MARGIN.side)} 0)">${uses.join('')}</g>`;
}

/** Renders a line. Each piece is placed at its own column, regardless of the width of the font's characters. */
function renderLine(line) {
  let column = 0;
  return splitStyledText(line)
    .pieces.map((piece) => {
      const x = round(column * CELL.width);
      const width = stringWidth(piece.text);
      column += width;
      const background = piece.isInverse
        ? `<rect x="${x}" y="2" width="${round(width * CELL.width)}" height="${CELL.height}" fill="${FOREGROUND}"/>`
        : '';
      if (piece.text.trim() === '') return background;
      const fill = piece.isInverse ? ` style="fill:${BACKGROUND}"` : '';
      const length = ` textLength="${round(width * CELL.width)}" lengthAdjust="spacingAndGlyphs"`;
      return `${background}<text x="${x}" y="15"${classAttribute(piece)}${fill}${length}>${escapeXml(piece.text)}</text>`;
    })
    .join('');
}

function classAttribute({ isBold, isDim, color }) {
  const names = [isBold && 'b', isDim && 'd', color !== undefined && `c${color}`].filter(Boolean);
  return names.length > 0 ? ` class="${names.join(' ')}"` : '';
}

function round(number) {
  return Math.round(number * 10) / 10;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
