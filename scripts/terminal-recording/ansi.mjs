/** A line of a screen, as tmux shows it with escape sequences, in pieces that each look one way. */
const ESCAPE = String.fromCharCode(27);
const SEQUENCE = new RegExp(`${ESCAPE}\\[([\\d;]*)m`, 'g');
const PLAIN = { color: undefined, isBold: false, isDim: false, isInverse: false };

/** `[{text, color, isBold, isDim, isInverse}]`, and how the next line begins. */
export function piecesOf(line, before = PLAIN) {
  const pieces = [];
  let look = before;
  let from = 0;
  for (const { 0: sequence, 1: codes, index } of line.matchAll(SEQUENCE)) {
    if (index > from) pieces.push({ text: line.slice(from, index), ...look });
    look = codes.split(';').map(Number).reduce(changed, look);
    from = index + sequence.length;
  }
  if (from < line.length) pieces.push({ text: line.slice(from), ...look });
  return { pieces, look };
}

/** tmux lets a look go on from one line to the next: here each line says for itself how it begins. */
export function standalone(lines) {
  let look = PLAIN;
  return lines.map((line) => {
    const begun = sequenceOf(look) + line;
    look = piecesOf(line, look).look;
    return begun;
  });
}

function sequenceOf({ color, isBold, isDim, isInverse }) {
  const codes = [isBold && 1, isDim && 2, isInverse && 7, color !== undefined && 30 + color];
  const said = codes.filter((code) => code !== false);
  return said.length === 0 ? '' : `${ESCAPE}[${said.join(';')}m`;
}

function changed(look, code) {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, isBold: true };
  if (code === 2) return { ...look, isDim: true };
  if (code === 22) return { ...look, isBold: false, isDim: false };
  if (code === 7) return { ...look, isInverse: true };
  if (code === 27) return { ...look, isInverse: false };
  if (code === 39) return { ...look, color: undefined };
  if (code >= 30 && code <= 37) return { ...look, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...look, color: code - 90 };
  return look;
}
