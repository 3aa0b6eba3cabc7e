import { proveAppendOnlyPrefix } from '#test/support/proofs/append-only-prefix';

describe('a conversation of 36 turns', () => proveAppendOnlyPrefix(3, { trims: 1, compactions: 1 }));
