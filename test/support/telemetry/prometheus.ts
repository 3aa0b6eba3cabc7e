/** One number of an exposition. */
export interface PrometheusSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const SAMPLE = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/** Reads Prometheus' text format, and fails where a line is none of it. */
export function parsePrometheusSamples(text: string): PrometheusSample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
      if (!name) throw new Error(`no sample: ${line}`);
      const pairs = [...labels.matchAll(LABEL)].map(([, label, labelValue]) => [label, labelValue]);
      return { name, labels: Object.fromEntries(pairs), value: value === '+Inf' ? Infinity : Number(value) };
    });
}

/** The names of the metrics, as `# TYPE` gives them. */
export function listMetricNames(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
}

/** All that have these labels, added up. */
export function sumSamples(samples: PrometheusSample[], name: string, labels: Record<string, string> = {}): number {
  return samples
    .filter((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    .reduce((total, { value }) => total + value, 0);
}
