import { testLargeInbox } from '#test/support/web/large-inbox';

/** Enough to scroll; test/release has 500. */
describe('an inbox of 60 questions', () => testLargeInbox(60));
