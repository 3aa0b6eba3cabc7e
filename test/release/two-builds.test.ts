import { proveTwoBuilds } from '#test/support/proofs/two-builds';

describe('conversations of every kind, parked on one build', () => proveTwoBuilds('every'));
