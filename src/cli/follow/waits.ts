import type { Agenda } from './agenda';

/** Why nothing happens: what it waits for, and what one can do. */
export interface Waits {
  what: string;
  keys: string[];
}

const LEAVE = 'Ctrl-C to leave';

export function waitsFor(agenda: Agenda): Waits | undefined {
  if (agenda.those('later').length > 0)
    return { what: 'Waits for an answer', keys: ['Enter to answer', LEAVE] };
  if (agenda.those('others').length > 0) return { what: 'Waits for somebody else to answer', keys: [LEAVE] };
  if (agenda.those('kept').length > 0)
    return { what: 'Your answer is kept until a worker takes it', keys: [LEAVE] };
  return undefined;
}
