import { create } from 'zustand';
import type { Question } from '#contract/question';
import { keyOf } from '#core/question-key';
import { headline, lineageText } from '#core/words';
import { readStored, store } from '../stored';

const WANTED = 'notifications';

type State = 'impossible' | 'off' | 'on' | 'blocked';

/** Whether new questions are told by the system, beyond this window. Both the person and the browser have to agree. */
export const useNotifications = create<{ state: State }>(() => ({ state: stateNow() }));

function stateNow(): State {
  if (!('Notification' in window)) return 'impossible';
  if (Notification.permission === 'denied') return 'blocked';
  return Notification.permission === 'granted' && readStored<boolean>(WANTED) ? 'on' : 'off';
}

export async function toggleNotifications(): Promise<State> {
  const wants = stateNow() !== 'on';
  if (wants) await Notification.requestPermission();
  store(WANTED, wants || undefined);
  const state = stateNow();
  useNotifications.setState({ state });
  return state;
}

/** Somebody who looks at another tab of ours sees it there. */
const looking = new BroadcastChannel('parley-looking');
looking.addEventListener('message', ({ data }) => {
  if (data === 'anybody?' && document.hasFocus()) looking.postMessage('me');
});
const ANSWER_MS = 200;

async function isLookedAt(): Promise<boolean> {
  if (document.hasFocus()) return true;
  const leaving = new AbortController();
  const somebody = new Promise<boolean>((resolve) => {
    const hear = ({ data }: MessageEvent) => data === 'me' && resolve(true);
    looking.addEventListener('message', hear, { signal: leaving.signal });
    setTimeout(() => resolve(false), ANSWER_MS);
  });
  looking.postMessage('anybody?');
  return somebody.finally(() => leaving.abort());
}

/** A question came while nobody looks at Parley. */
export async function notify(question: Question, go: (path: string) => void): Promise<void> {
  if (stateNow() !== 'on' || (await isLookedAt())) return;
  try {
    const notification = new Notification(`${lineageText(question.origin)} asks`, {
      body: headline(question),
      tag: keyOf(question),
      icon: '/favicon.svg',
    });
    notification.onclick = () => {
      window.focus();
      go(`/questions/${keyOf(question)}`);
      notification.close();
    };
  } catch {
    // Phones let only a service worker notify. The title and the icon tell all the same.
  }
}
