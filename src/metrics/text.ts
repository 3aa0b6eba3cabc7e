/** A metric whose labels are known only as its values come in. */
export interface Series {
  name: string;
  kind: 'counter' | 'gauge' | 'histogram';
  help: string;
  buckets: readonly number[];
  /** By their labels. */
  values: Map<string, { labels: Record<string, string>; value: number; count: number; counts: number[] }>;
}

/** In Prometheus' text format. */
export function seriesText({ name, kind, help, buckets, values }: Series): string {
  const lines = [
    `# HELP ${name} ${help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`,
    `# TYPE ${name} ${kind}`,
  ];
  for (const { labels, value, count, counts } of values.values()) {
    if (kind !== 'histogram') {
      lines.push(`${name}${labelsText(labels)} ${value}`);
      continue;
    }
    let sum = 0;
    buckets.forEach((most, at) => {
      sum += counts[at] ?? 0;
      lines.push(`${name}_bucket${labelsText({ ...labels, le: String(most) })} ${sum}`);
    });
    lines.push(`${name}_bucket${labelsText({ ...labels, le: '+Inf' })} ${count}`);
    lines.push(`${name}_sum${labelsText(labels)} ${value}`, `${name}_count${labelsText(labels)} ${count}`);
  }
  return `${lines.join('\n')}\n`;
}

function labelsText(labels: Record<string, string>): string {
  const parts = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')}"`,
  );
  return parts.length > 0 ? `{${parts.join(',')}}` : '';
}
