import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { attemptFor } from '../attempt';
import { useOnce } from '../design/use-once';
import { useDraft } from '../drafts';
import { parley } from '../parley';
import { BLANK, bodyOf, EMPTY_MESSAGE, faultsOf, type StartDraft, type StartFaults } from './starting';

/** What is written, what is wrong with it, and starting it once, however often the button is pressed. */
export function useStart() {
  const [draft, write, forget] = useDraft<StartDraft>('start', BLANK);
  const [faults, setFaults] = useState<StartFaults>({});
  const { isBusy: isSending, once } = useOnce();
  const queries = useQueryClient();
  const [, go] = useLocation();

  const change = (next: Partial<StartDraft>) => {
    write({ ...draft, ...next });
    setFaults({});
  };

  const send = async (agent: string) => {
    setFaults({});
    const body = bodyOf(agent, draft);
    const attempt = attemptFor(draft.attempt, body);
    write({ ...draft, attempt });
    try {
      const { id } = await parley.start(body, { idempotencyKey: attempt.key });
      forget();
      void queries.invalidateQueries({ queryKey: ['conversations'] });
      go(`/conversations/${encodeURIComponent(id)}`);
    } catch (error) {
      setFaults(faultsOf(error));
    }
  };
  const start = async (agent: string) => {
    if (draft.message.trim() === '') setFaults(EMPTY_MESSAGE);
    else await once(() => send(agent));
  };

  return { draft, change, faults, isSending, start };
}
