import type { Channel, Outgoing, Ref } from './channel';

/** As much of a log as is needed: the worker's own fits. */
export interface NoticeLog {
  warn(about: object, message: string): void;
}

/** Tells those who read the worker's log that somebody is waited for; where that is private, not whom and what for. */
export function logChannel(log: NoticeLog, isPrivate = false): Channel {
  const write = async ({ id, what, question, title, to, links }: Outgoing): Promise<Ref> => {
    const { conversationId: conversation, id: questionId, agent, expiresAt } = question;
    const answerAt = `${links.self}/questions/${questionId}/answer`;
    const told = isPrivate ? {} : { title, to };
    const about = { notice: id, conversation, questionId, agent, ...told, expiresAt, answerAt };
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
