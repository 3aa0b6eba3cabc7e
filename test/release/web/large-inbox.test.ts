import { testLargeInbox } from '#test/support/web/large-inbox';

describe('an inbox of 500 questions', () => testLargeInbox(500));
