import { proveFlatHistory } from '../../support/proofs/flat-history';

/** Enough to roll over; test/release has 5,000. */
describe('a conversation of 15 turns', () => proveFlatHistory(15));
