import type { Channel, Outgoing, Ref } from './channel';

/** As much of a log as is needed: the worker's own fits. */
export interface NoticeLog {
  warn(about: object, message: string): void;
}

/** Tells those who read the worker's log that somebody is waited for. */
export function logChannel(log: NoticeLog): Channel {
  const write = async ({ id, what, question, title, to, links }: Outgoing): Promise<Ref> => {
    const { conversationId, id: questionId, agent, expiresAt } = question;
    const answerAt = `${links.self}/questions/${questionId}/answer`;
    const about = { notice: id, conversationId, questionId, agent, title, to, expiresAt, answerAt };
    log.warn(about, `A question waits for an answer (${what})`);
    return {};
  };
  return {
    name: 'log',
    send: write,
    remind: write,
    settle: async () => undefined,
  };
}
