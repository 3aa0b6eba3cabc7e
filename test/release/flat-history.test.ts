import { proveFlatHistory } from '#test/support/proofs/flat-history';

describe('a conversation of 5,000 turns', () => proveFlatHistory(5_000));
