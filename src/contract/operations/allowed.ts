/** Start, say, end. */
export const WRITE = ['conversations:write'] as const;
export const READ = ['conversations:read'] as const;
export const ANSWER = ['questions:answer'] as const;
/** Whoever may answer must be able to see what is asked. */
export const SEE_QUESTIONS = ['conversations:read', 'questions:answer'] as const;
export const ADMIN = ['admin'] as const;
export const ANY_KEY = [] as const;
export const ANYBODY = 'anybody';
