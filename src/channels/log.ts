import type { Channel, DeliveryRef, OutgoingNotification, SenderDeps } from './channel';

/** Writes a warning to the worker's log for each open question; without its title and people if redacted. */
export const logChannel: Channel = {
  name: 'log',
  label: 'Log',
  readSettings: () => ({}),
  test: { note: "always on: the worker's log" },
  createSender(_settings, deps) {
    const write = (notification: OutgoingNotification) => writeNotification(deps, notification);
    return { name: 'log', send: write, remind: write, updateCopy: async () => undefined };
  },
};

async function writeNotification(
  { log, redactLog = false }: SenderDeps,
  { id, reason, question, title, escalatedTo, links }: OutgoingNotification,
): Promise<DeliveryRef> {
  const { conversationId: conversation, id: questionId, agent, expiresAt } = question;
  const answerAt = `${links.self}/questions/${questionId}/answer`;
  const details = redactLog ? {} : { title, to: escalatedTo };
  const fields = { notice: id, conversation, questionId, agent, ...details, expiresAt, answerAt };
  log.warn(fields, `Question waiting for an answer (${reason})`);
  return {};
}
