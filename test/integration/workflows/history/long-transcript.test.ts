import { proveLongTranscript } from '#test/support/proofs/long-transcript';

/** test/release has 100. */
describe('25 model calls with all their results', () => proveLongTranscript(25));
