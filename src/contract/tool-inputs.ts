import { z } from 'zod';
import { Todo } from './conversation';
import { ReminderSchedule } from './notification';
import { JsonObject, OnTimeout, ValueSchema } from './question';
import { Duration } from './time';

const OptionInput = z.strictObject({
  label: z.string().trim().min(1).max(200).describe('Short text of the choice, as shown to the person.'),
  description: z.string().max(1_000).optional().describe('One line on what this choice means.'),
});

function createQuestionInputSchema(maxOptions: number) {
  return z.strictObject({
    question: z.string().trim().min(1).max(2_000).describe('The question, as one clear sentence.'),
    header: z.string().optional().describe('A label of at most 12 characters, shown next to the question.'),
    options: z.array(OptionInput).min(2).max(maxOptions).optional().describe('The choices. Omit for free text.'),
    multiSelect: z.boolean().optional().describe('Whether several options can be chosen. Default: false.'),
    allowOther: z
      .boolean()
      .optional()
      .describe('Whether to offer "Other" with a text box. Default: true; false with a schema.'),
    schema: ValueSchema.optional().describe(
      'Instead of options: a flat JSON Schema of the value. The form shows a matching control: text, email, date, ' +
        'number, yes or no, or a list of choices.',
    ),
    default: z
      .union([z.string(), z.number(), z.boolean(), z.array(z.string())], {
        error: 'must be text, a number, true or false, or a list of texts',
      })
      .optional()
      .describe(
        'The answer to use if nobody answers and onTimeout is "default": a label, a list of labels, text, or a value ' +
          'that matches the schema.',
      ),
  });
}

/** Creates the input schema of `ask_user_question` within the limits of the agent. */
export function createAskInputSchema(limits: { maxQuestions: number; maxOptions: number }) {
  return z.strictObject({
    questions: z.array(createQuestionInputSchema(limits.maxOptions)).min(1).max(limits.maxQuestions),
    context: z
      .string()
      .max(4_000)
      .optional()
      .describe('A few lines of Markdown: why you ask and what depends on the answer.'),
    timeout: Duration.optional().describe('How long to wait for the answer: 90s, 15m, 4h, 3d or never.'),
    onTimeout: OnTimeout.optional().describe(
      'If nobody answers in time: "continue" without an answer, use the "default", "fail", or "wait" indefinitely.',
    ),
    remind: ReminderSchedule.optional(),
  });
}
export type AskInput = z.infer<ReturnType<typeof createAskInputSchema>>;

export const ConfirmInput = z.strictObject({
  action: z.string().trim().min(1).max(2_000).describe('What you are about to do, in one sentence.'),
  details: z.string().max(4_000).optional().describe('A few lines of Markdown on what it changes and how to undo it.'),
  arguments: JsonObject.optional().describe('The exact arguments of the action, shown to the person verbatim.'),
  default: z.literal('No').optional().describe('The answer to use if nobody answers; only "No" is allowed.'),
});
export type ConfirmInput = z.infer<typeof ConfirmInput>;

export const TodosInput = z.strictObject({ todos: z.array(Todo).max(100) });
export type TodosInput = z.infer<typeof TodosInput>;

const MAX_TASK_LENGTH = 50_000;

/** Creates the input schema of `delegate` for an agent with these sub-agents. */
export function createDelegateInputSchema(subagents: readonly string[]) {
  return z.strictObject({
    agent: z.enum(subagents as [string, ...string[]]).describe('The sub-agent to delegate to.'),
    task: z
      .string()
      .trim()
      .min(1)
      .max(MAX_TASK_LENGTH)
      .describe('The task, with all the context it needs: the sub-agent cannot see this conversation.'),
  });
}
export type DelegateInput = z.infer<ReturnType<typeof createDelegateInputSchema>>;
