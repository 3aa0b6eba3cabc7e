import { Bell, BellOff } from 'lucide-react';
import { create } from 'zustand';
import type { Question } from '#contract/question';
import { formatOrigin, questionSummaryLine } from '#presentation/labels';
import { toQuestionKey } from '#presentation/question-list';
import { readStoredValue, writeStoredValue } from '../lib/local-storage';
import { showToast } from '../ui/toast';
import css from './navigation.module.css';

const STORAGE_NAME = 'notifications';

type NotificationState = 'impossible' | 'off' | 'on' | 'blocked';

/** Whether new questions are told by the system, beyond this window. Both the person and the browser have to agree. */
const useNotificationState = create<{ state: NotificationState }>(() => ({ state: readNotificationState() }));

function readNotificationState(): NotificationState {
  if (!('Notification' in window)) return 'impossible';
  if (Notification.permission === 'denied') return 'blocked';
  return Notification.permission === 'granted' && readStoredValue<boolean>(STORAGE_NAME) ? 'on' : 'off';
}

async function toggleNotifications(): Promise<NotificationState> {
  const wants = readNotificationState() !== 'on';
  if (wants) await Notification.requestPermission();
  writeStoredValue(STORAGE_NAME, wants || undefined);
  const state = readNotificationState();
  useNotificationState.setState({ state });
  return state;
}

/** Somebody who looks at another tab of ours sees it there. */
const focusChannel = new BroadcastChannel('parley-looking');
focusChannel.addEventListener('message', ({ data }) => {
  if (data === 'anybody?' && document.hasFocus()) focusChannel.postMessage('me');
});
const FOCUS_REPLY_MS = 200;

async function isAnyTabFocused(): Promise<boolean> {
  if (document.hasFocus()) return true;
  const leaving = new AbortController();
  const somebody = new Promise<boolean>((resolve) => {
    const hear = ({ data }: MessageEvent) => data === 'me' && resolve(true);
    focusChannel.addEventListener('message', hear, { signal: leaving.signal });
    setTimeout(() => resolve(false), FOCUS_REPLY_MS);
  });
  focusChannel.postMessage('anybody?');
  return somebody.finally(() => leaving.abort());
}

/** A question came while nobody looks at Parley. */
export async function showQuestionNotification(question: Question, go: (path: string) => void): Promise<void> {
  if (readNotificationState() !== 'on' || (await isAnyTabFocused())) return;
  try {
    const notification = new Notification(`${formatOrigin(question.origin)} asks`, {
      body: questionSummaryLine(question),
      tag: toQuestionKey(question),
      icon: '/favicon.svg',
    });
    notification.onclick = () => {
      window.focus();
      go(`/questions/${toQuestionKey(question)}`);
      notification.close();
    };
  } catch {
    // Phones let only a service worker notify. The title and the icon tell all the same.
  }
}

const TOAST_TEXT = {
  on: 'New questions will be told by a notification, while this window is open.',
  off: 'No more notifications.',
  blocked: 'Your browser blocks notifications from this page. Allow them in its settings, then try again.',
  impossible: 'This browser has no notifications.',
};

export function NotificationsButton() {
  const { state } = useNotificationState();
  if (state === 'impossible') return null;
  const Icon = state === 'on' ? Bell : BellOff;
  return (
    <button
      type="button"
      className={css.tool}
      aria-pressed={state === 'on'}
      onClick={async () => showToast(TOAST_TEXT[await toggleNotifications()])}
    >
      <Icon size={18} aria-hidden="true" />
      <span className={css.word}>Notifications</span>
    </button>
  );
}
