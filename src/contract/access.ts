import { z } from 'zod';

/** What a key may do. `admin` may do everything, and sees every conversation. */
export const Scope = z.enum(['conversations:write', 'conversations:read', 'questions:answer', 'admin']);
export type Scope = z.infer<typeof Scope>;

/** The name of a key: it stands for a person or a program, and goes into Visibility queries. */
export const KeyName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/,
    'a name is 1 to 64 letters, digits, dots, hyphens, underscores, @ or +, and begins with a letter or digit',
  );

/** Everybody with a key. */
export const EVERYBODY = '*';

/** Names go into a search attribute: 255 characters at most, and no NUL on PostgreSQL. */
const Person = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\0]*$/, 'must not contain a NUL character');

export const Audience = z.array(Person).max(50).describe('Names of keys; `*` is everybody with a key.');

/** Who a key stands for. `name` is null where no keys are set. */
export const Session = z.strictObject({ name: z.string().nullable(), scopes: z.array(Scope) });
export type Session = z.infer<typeof Session>;
