import { z } from 'zod';

/** Only said where there are any. */
export const Unreadable = z
  .int()
  .min(1)
  .describe('How many were left out: they were encrypted with a key that is not in PARLEY_ENCRYPTION_KEYS.');
