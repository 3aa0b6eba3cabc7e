import { proveManyQuestions } from '#test/support/web/many-questions';

describe('an inbox of 500 questions', () => proveManyQuestions(500));
