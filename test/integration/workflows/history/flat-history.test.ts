import { proveFlatHistory } from '#test/support/proofs/flat-history';

/** Enough to fill its state; test/release has 5,000. */
describe('a conversation of 15 turns', () => proveFlatHistory(15));
