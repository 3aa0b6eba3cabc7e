import { proveManyQuestions } from '../../support/web/many-questions';

describe('an inbox of 500 questions', () => proveManyQuestions(500));
