import { proveLongTranscript } from '#test/support/proofs/long-transcript';

describe('100 model calls with a transcript of 209,000 tokens', () => proveLongTranscript(100));
