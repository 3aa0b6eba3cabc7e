import { proveManyQuestions } from '#test/support/web/many-questions';

/** As many as it takes to scroll; test/release has 500. */
describe('an inbox of 60 questions', () => proveManyQuestions(60));
