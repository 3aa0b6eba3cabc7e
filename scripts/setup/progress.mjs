/** How the progress of a step reads. Pure: log.mjs writes it. */

const SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const [SHORTEST_BAR, LONGEST_BAR] = [8, 24];

/** `{done, total, unit, note}` in words: "312 of 1,297 packages". Without a total, "312 packages". */
export function formatProgress({ done, total, unit, note }) {
  const words = `${formatNumber(done)}${total === undefined ? '' : ` of ${formatNumber(total)}`} ${unit}`;
  return note ? `${words}, ${note}` : words;
}

/** A step's line on a terminal, no wider than `width`: a line that wraps cannot be redrawn in place. A bar takes the space left. */
export function formatTerminalLine({ what, progress, seconds, frame }, width) {
  const spinner = SPINNER[frame % SPINNER.length];
  const text = `${spinner} ${what} … ${progress ? `${formatProgress(progress)}, ` : ''}${seconds} s`;
  const room = Math.min(width - text.length - 1, LONGEST_BAR);
  if (progress?.total && room >= SHORTEST_BAR) return `${text} ${drawBar(progress, room)}`;
  return text.slice(0, width);
}

/** A step's line where there is no terminal: it names the step, because others run beside it. */
export function formatPlainLine({ what, progress, seconds }) {
  return `${what}: ${progress ? formatProgress(progress) : 'running'}, ${seconds} s so far`;
}

function drawBar({ done, total }, width) {
  const full = Math.floor((Math.min(done, total) / total) * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

function formatNumber(count) {
  return count.toLocaleString('en-US');
}
