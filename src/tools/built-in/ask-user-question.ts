import { createAskInputSchema } from '#contract/tool-inputs';
import type { Tool } from '#tools/tool';

export const askUserQuestionTool: Tool = {
  name: 'ask_user_question',
  description:
    'Ask the person one or more questions and wait for the answer, for days if necessary. Use options if the likely ' +
    'answers are known (the person can still write their own), a schema for a number, a date, an address or a yes/no, ' +
    'and neither for free text. Ask everything you need to know now in one call. The result is JSON: {"answers": {<question text>: value}, "comment"?}.',
  input: (agent) => createAskInputSchema(agent.questions),
  execution: { kind: 'ask' },
};
