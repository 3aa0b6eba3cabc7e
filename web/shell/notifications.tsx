import { Bell, BellOff } from 'lucide-react';
import { create } from 'zustand';
import type { Question } from '#contract/question';
import { formatOrigin, questionSummaryLine } from '#presentation/labels';
import { toQuestionKey } from '#presentation/question-list';
import { readStoredValue, writeStoredValue } from '../lib/local-storage';
import { showToast } from '../ui/toast';
import css from './navigation.module.css';

const STORAGE_NAME = 'notifications';

type NotificationState = 'unsupported' | 'off' | 'on' | 'blocked';

/** Whether new questions raise a system notification. The person and the browser must both allow it. */
const useNotificationState = create<{ state: NotificationState }>(() => ({ state: readNotificationState() }));

function readNotificationState(): NotificationState {
  if (!('Notification' in window)) return 'unsupported';
  if (Notification.permission === 'denied') return 'blocked';
  return Notification.permission === 'granted' && readStoredValue<boolean>(STORAGE_NAME) ? 'on' : 'off';
}

async function toggleNotifications(): Promise<NotificationState> {
  const isEnabling = readNotificationState() !== 'on';
  if (isEnabling) await Notification.requestPermission();
  writeStoredValue(STORAGE_NAME, isEnabling || undefined);
  const state = readNotificationState();
  useNotificationState.setState({ state });
  return state;
}

/** Tabs ask each other who has focus: no notification is needed if any Parley tab is in use. */
const focusChannel = new BroadcastChannel('parley-focus');
focusChannel.addEventListener('message', ({ data }) => {
  if (data === 'is-focused?' && document.hasFocus()) focusChannel.postMessage('focused');
});
const FOCUS_REPLY_MS = 200;

async function isAnyTabFocused(): Promise<boolean> {
  if (document.hasFocus()) return true;
  const controller = new AbortController();
  const reply = new Promise<boolean>((resolve) => {
    const onMessage = ({ data }: MessageEvent) => data === 'focused' && resolve(true);
    focusChannel.addEventListener('message', onMessage, { signal: controller.signal });
    setTimeout(() => resolve(false), FOCUS_REPLY_MS);
  });
  focusChannel.postMessage('is-focused?');
  return reply.finally(() => controller.abort());
}

/** Notifies about a new question unless a Parley tab has focus. */
export async function showQuestionNotification(question: Question, navigate: (path: string) => void): Promise<void> {
  if (readNotificationState() !== 'on' || (await isAnyTabFocused())) return;
  try {
    const notification = new Notification(`${formatOrigin(question.origin)} asks`, {
      body: questionSummaryLine(question),
      tag: toQuestionKey(question),
      icon: '/favicon.svg',
    });
    notification.onclick = () => {
      window.focus();
      navigate(`/questions/${toQuestionKey(question)}`);
      notification.close();
    };
  } catch {
    // Phones allow notifications only from a service worker. The tab's title and icon still show the question.
  }
}

const TOAST_TEXT = {
  on: 'Notifications on while this tab is open.',
  off: 'Notifications off.',
  blocked: 'Notifications are blocked. Allow them in your browser settings, then try again.',
  unsupported: "This browser doesn't support notifications.",
};

export function NotificationsButton() {
  const { state } = useNotificationState();
  if (state === 'unsupported') return null;
  const Icon = state === 'on' ? Bell : BellOff;
  return (
    <button
      type="button"
      className={css.tool}
      aria-pressed={state === 'on'}
      onClick={async () => showToast(TOAST_TEXT[await toggleNotifications()])}
    >
      <Icon size={18} aria-hidden="true" />
      <span className={css.text}>Notifications</span>
    </button>
  );
}
