/** Formats the progress of a step. Pure: log.mjs writes it. */

const SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const [SHORTEST_BAR, LONGEST_BAR] = [8, 24];

/** Formats `{done, total, unit, note}`: "312 of 1,297 packages", or "312 packages" without a total. */
export function formatProgress({ done, total, unit, note }) {
  const words = `${formatNumber(done)}${total === undefined ? '' : ` of ${formatNumber(total)}`} ${unit}`;
  return note ? `${words}, ${note}` : words;
}

/**
 * Formats a step's line on a terminal, no wider than `width`, because a wrapped line cannot be redrawn in place. A
 * progress bar fills the remaining space.
 */
export function formatTerminalLine({ what, progress, seconds, frame }, width) {
  const spinner = SPINNER[frame % SPINNER.length];
  const text = `${spinner} ${what}… ${progress ? `${formatProgress(progress)}, ` : ''}${seconds} s`;
  const room = Math.min(width - text.length - 1, LONGEST_BAR);
  if (progress?.total && room >= SHORTEST_BAR) return `${text} ${drawBar(progress, room)}`;
  return text.slice(0, width);
}

/** Formats a step's line without a terminal. It names the step, because steps run in parallel. */
export function formatPlainLine({ what, progress, seconds }) {
  return `${what}: ${progress ? formatProgress(progress) : 'running'}, ${seconds} s elapsed`;
}

function drawBar({ done, total }, width) {
  const full = Math.floor((Math.min(done, total) / total) * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

function formatNumber(count) {
  return count.toLocaleString('en-US');
}
