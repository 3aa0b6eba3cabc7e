/** Splits a screen line with escape sequences, as tmux prints it, into pieces of one style each. */
const ESCAPE = String.fromCharCode(27);
const SEQUENCE = new RegExp(`${ESCAPE}\\[([\\d;]*)m`, 'g');
const PLAIN = { color: undefined, isBold: false, isDim: false, isInverse: false };

/** Returns `[{text, color, isBold, isDim, isInverse}]`, and the style at the start of the next line. */
export function splitStyledText(line, initialStyle = PLAIN) {
  const pieces = [];
  let style = initialStyle;
  let from = 0;
  for (const { 0: sequence, 1: codes, index } of line.matchAll(SEQUENCE)) {
    if (index > from) pieces.push({ text: line.slice(from, index), ...style });
    style = codes.split(';').map(Number).reduce(applyCode, style);
    from = index + sequence.length;
  }
  if (from < line.length) pieces.push({ text: line.slice(from), ...style });
  return { pieces, style };
}

/** Makes each line start with its own style, because tmux carries a style over to the next line. */
export function makeLinesStandalone(lines) {
  let style = PLAIN;
  return lines.map((line) => {
    const standaloneLine = escapeSequence(style) + line;
    style = splitStyledText(line, style).style;
    return standaloneLine;
  });
}

function escapeSequence({ color, isBold, isDim, isInverse }) {
  const codes = [isBold && 1, isDim && 2, isInverse && 7, color !== undefined && 30 + color];
  const active = codes.filter((code) => code !== false);
  return active.length === 0 ? '' : `${ESCAPE}[${active.join(';')}m`;
}

function applyCode(style, code) {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isDim: true };
  if (code === 22) return { ...style, isBold: false, isDim: false };
  if (code === 7) return { ...style, isInverse: true };
  if (code === 27) return { ...style, isInverse: false };
  if (code === 39) return { ...style, color: undefined };
  if (code >= 30 && code <= 37) return { ...style, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, color: code - 90 };
  return style;
}
