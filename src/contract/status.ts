import { z } from 'zod';

/** What is set up and what answers: for whoever wonders why nothing happens. Neither a secret nor an address behind Parley. */
export const Status = z.strictObject({
  version: z.string().describe('Of Parley.'),
  temporal: z.strictObject({
    reachable: z.boolean().describe('Whether Temporal answers, as `/readyz` asks it.'),
    namespace: z.string(),
  }),
  workers: z
    .int()
    .min(0)
    .nullable()
    .describe('How many asked Temporal for work in the last minutes; null where Temporal does not tell.'),
  agents: z.int().min(0),
  channels: z
    .strictObject({ slack: z.boolean(), email: z.boolean(), webhook: z.literal(true) })
    .describe('The ways to reach people that are set up.'),
  keys: z.boolean().describe('Whether a key is needed.'),
  publicUrl: z.string().describe('What links begin with.'),
});
export type Status = z.infer<typeof Status>;
