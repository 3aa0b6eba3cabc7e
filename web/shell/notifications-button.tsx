import { Bell, BellOff } from 'lucide-react';
import { say } from '../design/toast';
import css from './navigation.module.css';
import { toggleNotifications, useNotifications } from './notifications';

const SAID = {
  on: 'New questions will be told by a notification, while this window is open.',
  off: 'No more notifications.',
  blocked: 'Your browser blocks notifications from this page. Allow them in its settings, then try again.',
  impossible: 'This browser has no notifications.',
};

export function NotificationsButton() {
  const { state } = useNotifications();
  if (state === 'impossible') return null;
  const Icon = state === 'on' ? Bell : BellOff;
  return (
    <button
      type="button"
      className={css.tool}
      aria-pressed={state === 'on'}
      onClick={async () => say(SAID[await toggleNotifications()])}
    >
      <Icon size={18} aria-hidden="true" />
      <span className={css.word}>Notifications</span>
    </button>
  );
}
