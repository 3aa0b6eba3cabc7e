import { testLargeInbox } from '#test/support/web/large-inbox';

/** As many as it takes to scroll; test/release has 500. */
describe('an inbox of 60 questions', () => testLargeInbox(60));
