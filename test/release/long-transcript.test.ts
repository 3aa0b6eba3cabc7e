import { proveLongTranscript } from '#test/support/proofs/long-transcript';

describe('100 calls of the model with a transcript of 209,000 tokens', () => proveLongTranscript(100));
