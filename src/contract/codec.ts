import { z } from 'zod';

const Bytes = z.base64('must be base64');

/** As Temporal writes payloads in JSON. What else it may write beside is left alone. */
const CodecPayload = z.looseObject({
  metadata: z.record(z.string(), Bytes).optional(),
  data: Bytes.optional(),
});
export type CodecPayload = z.infer<typeof CodecPayload>;

/** What Temporal's own tools send to a remote codec, and get back. */
export const CodecBody = z.object({
  // Temporal leaves out a list that is empty.
  payloads: z.array(CodecPayload).max(10_000).default([]),
});
export type CodecBody = z.infer<typeof CodecBody>;
