import type { Run } from '#cli/context';
import { sayStanding } from '#cli/standing';
import { whichQuestion } from '#cli/which-question';

interface Options {
  reason?: string;
  question?: string;
}

export const run: Run<Options> = async (context, { words: [id = ''], options }) => {
  const { id: question, conversationId } = await whichQuestion(context.parley, id, options.question);
  const standing = await context.parley.decline(conversationId, { question, reason: options.reason });
  return sayStanding(context, standing, 'Declined. The agent hears so, and goes on.');
};
