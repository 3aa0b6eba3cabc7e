import { z } from 'zod';

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });
const sampleRatio = z
  .string()
  .transform(Number)
  .refine((ratio) => ratio >= 0 && ratio <= 1, 'must be a ratio from 0 to 1, such as 0.1');
const protocol = z.enum(['http/json', 'http/protobuf'], {
  error: "Parley sends OTLP over HTTP as JSON: unset it and use the collector's HTTP port (4318)",
});
const headers = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((pair) => pair.trim())
      .filter(Boolean),
  )
  .refine((pairs) => pairs.every((pair) => /^[^=\s]+=/.test(pair)), 'must be name=value pairs, separated by commas')
  .transform((pairs) =>
    Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), decodeHeaderValue(pair.slice(pair.indexOf('=') + 1))]),
    ),
  );

/** Uses OpenTelemetry's standard variable names. */
export const TracingEnvironment = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headers.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], { error: 'must be otlp or none' }).optional(),
  OTEL_TRACES_SAMPLER_ARG: sampleRatio.optional(),
  OTEL_SERVICE_NAME: z.string().max(255).optional(),
});

export type TracingSettings = NonNullable<ReturnType<typeof readTracingSettings>>;

const DEFAULT_COLLECTOR_URL = 'http://localhost:4318';

/** Returns `undefined`, which means off, unless an exporter or an endpoint is set. */
export function readTracingSettings(values: z.infer<typeof TracingEnvironment>) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesUrl } = values;
  const exporter = values.OTEL_TRACES_EXPORTER ?? (baseUrl || tracesUrl ? 'otlp' : 'none');
  if (exporter === 'none') return undefined;
  return {
    /** URL for spans, as OTLP over HTTP. */
    url: tracesUrl ?? `${(baseUrl ?? DEFAULT_COLLECTOR_URL).replace(/\/+$/, '')}/v1/traces`,
    headers: values.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    service: values.OTEL_SERVICE_NAME ?? 'parley',
    /** Fraction of the traces started here that is sampled. */
    sampleRatio: values.OTEL_TRACES_SAMPLER_ARG ?? 1,
  };
}

function decodeHeaderValue(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
