/** What became of a mail that came in. */
export interface Taken {
  outcome: 'answered' | 'declined' | 'kept' | 'asked_back' | 'late' | 'ignored';
  /** Why, where it was no answer. */
  reason?: string;
}
