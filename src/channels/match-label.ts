/** Longer texts match no label. */
const MAX_LABEL_LENGTH = 1_000;

const LEADING_MARKS = new Set(' "\'“”*_`([-');
const TRAILING_MARKS = new Set(' "\'“”*_`)].,;:!-');

/** Normalizes the ways people write a label: in any case, after a bullet, before a full stop, or in quotes. */
export function normalizeLabel(text: string): string {
  if (text.length > MAX_LABEL_LENGTH) return '';
  const normalized = text.normalize('NFKC').toLowerCase().replace(/[‘’]/g, "'").replace(/\s+/g, ' ');
  let [start, end] = [0, normalized.length];
  while (start < end && LEADING_MARKS.has(normalized.charAt(start))) start += 1;
  while (end > start && TRAILING_MARKS.has(normalized.charAt(end - 1))) end -= 1;
  return normalized.slice(start, end);
}

export type LabelMatcher = (text: string) => string | undefined;

/**
 * Creates a function that returns the one label a text names, exactly or as people write it. A near miss matches
 * nothing, since its meaning is unclear.
 */
export function createLabelMatcher(labels: readonly string[]): LabelMatcher {
  const normalizedLabels = labels.map(normalizeLabel);
  return (text) => {
    if (labels.includes(text.trim())) return text.trim();
    const normalized = normalizeLabel(text);
    const matches = labels.filter((_label, index) => normalized !== '' && normalizedLabels[index] === normalized);
    return matches.length === 1 ? matches[0] : undefined;
  };
}
