import { proveBuildChange, proveTwoBuilds } from '#test/support/proofs/two-builds';

describe('conversations parked on one build', () => proveTwoBuilds('few'));

describe('a conversation', () => proveBuildChange());
