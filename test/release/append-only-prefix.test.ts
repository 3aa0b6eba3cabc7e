import { proveAppendOnlyPrefix } from '#test/support/proofs/append-only-prefix';

describe('a conversation of 300 turns', () => proveAppendOnlyPrefix(25, { trims: 20, compactions: 3 }));
