import { create } from 'zustand';
import type { Question } from '../../src/contract/question';
import { keyOf } from '../live/questions';
import { headline, lineageText } from '../question/words';
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

/** A question came while nobody looks at this window. */
export function notify(question: Question, go: (path: string) => void): void {
  if (stateNow() !== 'on' || (document.visibilityState === 'visible' && document.hasFocus())) return;
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
