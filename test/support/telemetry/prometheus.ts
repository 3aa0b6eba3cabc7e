/** One value of an exposition. */
export interface PrometheusSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const SAMPLE = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/** Parses Prometheus' text format. Throws on an invalid line. */
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

/** Returns the names of the metrics, from the `# TYPE` lines. */
export function listMetricNames(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
}

/** Returns the sum of all samples with these labels. */
export function sumSamples(samples: PrometheusSample[], name: string, labels: Record<string, string> = {}): number {
  return samples
    .filter((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    .reduce((total, { value }) => total + value, 0);
}
