import { z } from 'zod';

/** RFC 3339, in UTC. */
export const Time = z.string().meta({ format: 'date-time', examples: ['2026-11-16T09:30:00.000Z'] });
