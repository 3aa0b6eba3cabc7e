/** What may go wrong with every call about one conversation, and with those that need a worker. */
export const NOT_FOUND = ['conversation_not_found'] as const;
export const NO_WORKER = ['worker_unavailable'] as const;
