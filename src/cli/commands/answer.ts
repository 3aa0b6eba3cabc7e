import { putAlone } from '#cli/ask/put-alone';
import type { Put } from '#cli/ask/reply';
import type { Context, Run } from '#cli/context';
import { Ending, EXIT, type Exit, misuse } from '#cli/exit';
import { type AnswerFlags, answerFrom } from '#cli/fields/answer-from';
import { readAll } from '#cli/fields/stdin';
import { sayStanding } from '#cli/standing';
import { whichQuestion } from '#cli/which-question';
import type { Question } from '#contract/question';
import { outcomeText } from '#core/words';

interface Options {
  field?: string[];
  other?: string[];
  comment?: string;
  question?: string;
}

const EXITS: Record<Put['kind'], Exit> = {
  settled: EXIT.completed,
  kept: EXIT.completed,
  later: EXIT.waiting,
  left: EXIT.waiting,
  gone: EXIT.refused,
  refused: EXIT.refused,
};

/** What stands for stdin, before or after the id. */
const STDIN = '-';

export const run: Run<Options> = async (context, { words, options }) => {
  const { question: named, field, other, comment } = options;
  const [id] = words.filter((word) => word !== STDIN);
  if (id === undefined) throw misuse('Which conversation? `parley inbox --list` shows what waits.');
  const flags: AnswerFlags = { field, other, comment, isBody: words.includes(STDIN) };
  const isGiven = flags.isBody || [field, other, comment].some((flag) => flag !== undefined);
  if (context.isJson && !isGiven)
    throw misuse(
      'With --json nobody is asked. Give the answer by --field, or pipe it in: parley answer ID --json -',
    );
  const question = await whichQuestion(context.parley, id, named);
  if (isGiven) return send(context, question, flags);
  return EXITS[(await putAlone(context, question)).kind];
};

async function send(context: Context, question: Question, flags: AnswerFlags): Promise<Exit> {
  const { parley, terminal } = context;
  // Whether it would have fitted is of no interest any more.
  if (question.status !== 'pending')
    throw new Ending(
      EXIT.refused,
      `${outcomeText(question)}. Nothing was sent.`,
      `question_${question.status}`,
    );
  const answer = await answerFrom(question, flags, () => readAll(terminal.input));
  const standing = await parley.answer(question.conversationId, { question: question.id, ...answer });
  return sayStanding(context, standing, 'Answered. The agent goes on.');
}
