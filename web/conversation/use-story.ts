import { useEffect, useRef, useState } from 'react';
import type { ParleyError } from '#client/parley-error';
import { useWatched } from '../design/use-watched';
import { parley } from '../parley';
import { createBell } from './bell';
import { follow, type Known, readOnce, type Show } from './follow';
import { addNotices, type Story } from './story';

export interface Followed {
  known: Known | undefined;
  error: ParleyError | undefined;
  /** Something was done that it should show: look at once. */
  refresh: () => void;
  retry: () => void;
}

/** A conversation, live while somebody looks at this tab; one that is hidden goes on where it was when it is shown again. */
export function useStory(id: string, wantsNotices: boolean): Followed {
  const [known, setKnown] = useState<Known>();
  const [error, setError] = useState<ParleyError>();
  const [tries, setTries] = useState(0);
  const [bell] = useState(createBell);
  const latest = useRef(known);
  latest.current = known;
  const isWatched = useWatched();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a further try begins anew
  useEffect(() => {
    const leaving = new AbortController();
    setError(undefined);
    const work = isWatched
      ? follow(id, latest.current, setKnown, bell, leaving.signal)
      : readOnce(id, latest.current, setKnown, leaving.signal);
    work.catch((thrown) => {
      if (!leaving.signal.aborted) setError(thrown);
    });
    return () => leaving.abort();
  }, [id, isWatched, bell, tries]);

  useNotices(id, known?.story, wantsNotices && isWatched, setKnown);

  return { known, error, refresh: bell.ring, retry: () => setTries(tries + 1) };
}

const NOTICES_MS = 4_000;

/** Notices come with no event; where sub-agents may be put to work they are looked for. */
function useNotices(id: string, story: Story | undefined, isWanted: boolean, show: Show): void {
  const last = story?.last;
  const isRunning = story?.conversation.status === 'running';
  useEffect(() => {
    if (!isWanted || !isRunning || last === undefined) return;
    const leaving = new AbortController();
    const look = async () => {
      const timeline = await parley
        .timeline(id, { after: last, signal: leaving.signal })
        .catch(() => undefined);
      if (timeline) show((now) => now && { ...now, story: addNotices(now.story, timeline) });
    };
    const timer = setInterval(() => void look(), NOTICES_MS);
    void look();
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [id, last, isWanted, isRunning, show]);
}
