import { setTimeout as pause } from 'node:timers/promises';
import type { Question } from '#contract/question';
import { type ChaosContext, pickApiUrl } from '../context';
import { type ConversationLog, isFinalReply, type UserAction } from '../event-log';
import { sendAction } from '../http';
import { createSeededRandom, type SeededRandom } from '../random';
import { parseCallRef } from '../scenario/scenario';
import { createAction, createAnswer, createDecline, sendUntilReplied } from './actions';

const BEHAVIOUR_WEIGHTS = {
  answer: 38,
  repeat: 16,
  duel: 10,
  twice: 8,
  decline: 6,
  wrong: 8,
  expire: 4,
  late: 4,
  talk: 4,
  cancel: 2,
};
type Behaviour = keyof typeof BEHAVIOUR_WEIGHTS;

/** Users let a question expire only if its deadline is closer than this. */
const SHORT_DEADLINE_MS = 8_000;

/** Responds to a question as a user would. The seed determines how. */
export async function respondToQuestion(
  context: ChaosContext,
  log: ConversationLog,
  question: Question,
  timesAsked: number,
): Promise<void> {
  const { play, step, call } = parseCallRef(JSON.stringify([question.fields, question.confirms])) ?? {};
  const chance = createSeededRandom(context.seed, 'person', play ?? '', step ?? 0, call ?? 0, timesAsked);
  await pause(chance.int(0, 400));
  const behaviour = timesAsked === 0 ? chance.weighted(BEHAVIOUR_WEIGHTS) : 'answer';
  await performBehaviour(context, log, question, chance, adjustBehaviour(behaviour, question, log));
}

function adjustBehaviour(behaviour: Behaviour, { expiresAt }: Question, { scenario }: ConversationLog): Behaviour {
  const isShort = expiresAt !== null && Date.parse(expiresAt) - Date.now() < SHORT_DEADLINE_MS;
  if ((behaviour === 'expire' || behaviour === 'late') && !isShort) return 'repeat';
  return behaviour === 'cancel' && scenario.isLong ? 'answer' : behaviour;
}

async function performBehaviour(
  context: ChaosContext,
  log: ConversationLog,
  question: Question,
  chance: SeededRandom,
  behaviour: Behaviour,
): Promise<unknown> {
  const sendAndWait = (action: UserAction) => sendUntilReplied(context, action, chance);
  const answers = (more?: Partial<UserAction>) => createAnswer(context, log, question, chance, more);
  switch (behaviour) {
    case 'answer':
      return sendAndWait(answers());
    case 'repeat':
      return answerRepeatedly(context, log, question, chance);
    case 'duel':
      // Several users at once, on different APIs.
      return Promise.all(
        [answers(), answers(), ...(chance.percent(30) ? [createDecline(context, log, question)] : [])].map(sendAndWait),
      );
    case 'twice': {
      // A double click: the same request several times at once, on any API.
      const action = answers();
      return Promise.all([
        sendAndWait(action),
        sendAction(action, pickApiUrl(context, chance)),
        sendAction(action, pickApiUrl(context, chance)),
      ]);
    }
    case 'decline':
      return sendAndWait(createDecline(context, log, question));
    case 'wrong':
      await sendAndWait(answers({ isInvalid: true }));
      return sendAndWait(answers());
    case 'expire':
      return pause(msUntilDeadline(question));
    case 'late':
      await pause(msUntilDeadline(question) + chance.int(20, 1_500));
      return sendAndWait(answers());
    case 'talk':
      await sendAndWait(createAction(context, log, { kind: 'message' }));
      return sendAndWait(answers());
    case 'cancel':
      return sendAndWait(createAction(context, log, { kind: 'cancel' }));
  }
}

const msUntilDeadline = ({ expiresAt }: Question) => Math.max(0, Date.parse(expiresAt ?? '') - Date.now());

/**
 * Answers, and later resends the same, like a client that did not receive the reply, and at times once more without the
 * key.
 */
async function answerRepeatedly(
  context: ChaosContext,
  log: ConversationLog,
  question: Question,
  chance: SeededRandom,
): Promise<void> {
  const action = createAnswer(context, log, question, chance);
  await sendUntilReplied(context, action, chance);
  const resend = async () => {
    await pause(chance.int(300, 8_000));
    await resendAction(context, action, chance);
    if (chance.percent(30))
      await sendAction(
        createAnswer(context, log, question, chance, { hasIdempotencyKey: false }),
        pickApiUrl(context, chance),
      );
  };
  log.background.push(resend());
}

/** Resends until a final reply. */
export async function resendAction(context: ChaosContext, action: UserAction, chance: SeededRandom): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!isFinalReply(await sendAction(action, pickApiUrl(context, chance))) && Date.now() < deadline)
    await pause(chance.int(200, 1_000));
}

/** Sends a message, and at times resends it, like a client that did not receive the reply. */
export async function sendUserMessage(
  context: ChaosContext,
  log: ConversationLog,
  chance: SeededRandom,
): Promise<void> {
  const action = createAction(context, log, { kind: 'message' });
  await sendUntilReplied(context, action, chance);
  if (!chance.percent(30)) return;
  const resend = async () => {
    await pause(chance.int(300, 8_000));
    await resendAction(context, action, chance);
  };
  log.background.push(resend());
}
