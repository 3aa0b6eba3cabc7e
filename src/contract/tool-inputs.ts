import { z } from 'zod';
import { Todo } from './conversation';
import { ReminderSchedule } from './notification';
import { JsonObject, OnTimeout, ValueSchema } from './question';
import { Duration } from './time';

const OptionInput = z.strictObject({
  label: z.string().trim().min(1).max(200).describe('Short text of the choice, as the person sees it.'),
  description: z.string().max(1_000).optional().describe('One line on what choosing it means.'),
});

function createQuestionInputSchema(maxOptions: number) {
  return z.strictObject({
    question: z.string().trim().min(1).max(2_000).describe('The whole question, one clear sentence.'),
    header: z.string().optional().describe('A label of at most 12 characters, shown beside the question.'),
    options: z.array(OptionInput).min(2).max(maxOptions).optional().describe('The choices. Leave out for free text.'),
    multiSelect: z.boolean().optional().describe('May several options be chosen? Default false.'),
    allowOther: z.boolean().optional().describe('Offer "Other" with a text box? Default true, with a schema false.'),
    schema: ValueSchema.optional().describe(
      'In place of options: a flat JSON Schema that the value has to fit. The form shows a control for it: text, ' +
        'e-mail, date, number, yes or no, a list to choose from.',
    ),
    default: z
      .union([z.string(), z.number(), z.boolean(), z.array(z.string())], {
        error: 'must be text, a number, true or false, or a list of texts',
      })
      .optional()
      .describe(
        'The answer used when nobody answers and onTimeout is "default": a label, a list of labels, text, or what ' +
          'the schema takes.',
      ),
  });
}

/** Creates the input schema of `ask_user_question` within the limits of the agent. */
export function createAskInputSchema(limits: { maxQuestions: number; maxOptions: number }) {
  return z.strictObject({
    questions: z.array(createQuestionInputSchema(limits.maxOptions)).min(1).max(limits.maxQuestions),
    context: z.string().max(4_000).optional().describe('A few lines of Markdown: why you ask and what hangs on it.'),
    timeout: Duration.optional().describe('How long to wait for the answer: 90s, 15m, 4h, 3d or never.'),
    onTimeout: OnTimeout.optional().describe(
      'When nobody answers in time: go on without ("continue"), use the defaults ("default"), fail, or wait for ever.',
    ),
    remind: ReminderSchedule.optional(),
  });
}
export type AskInput = z.infer<ReturnType<typeof createAskInputSchema>>;

export const ConfirmInput = z.strictObject({
  action: z.string().trim().min(1).max(2_000).describe('What you are about to do, as one sentence.'),
  details: z.string().max(4_000).optional().describe('A few lines of Markdown on what it changes and how to undo it.'),
  arguments: JsonObject.optional().describe('The exact arguments of the action, shown to the person word for word.'),
  default: z.literal('No').optional().describe('Only "No" may be assumed when nobody answers.'),
});
export type ConfirmInput = z.infer<typeof ConfirmInput>;

export const TodosInput = z.strictObject({ todos: z.array(Todo).max(100) });
export type TodosInput = z.infer<typeof TodosInput>;

const MAX_TASK_LENGTH = 50_000;

/** Creates the input schema of `delegate` for an agent with these sub-agents. */
export function createDelegateInputSchema(subagents: readonly string[]) {
  return z.strictObject({
    agent: z.enum(subagents as [string, ...string[]]).describe('Which of your sub-agents.'),
    task: z
      .string()
      .trim()
      .min(1)
      .max(MAX_TASK_LENGTH)
      .describe('What it shall do, with everything it has to know: it sees nothing of this conversation.'),
  });
}
export type DelegateInput = z.infer<ReturnType<typeof createDelegateInputSchema>>;
