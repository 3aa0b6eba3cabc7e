import { setShortcutsOff, useShortcutSettings } from '../lib/shortcuts';
import { Dialog } from '../ui/dialog';
import css from './keyboard-help.module.css';

const SHORTCUTS: [string[], string][] = [
  [['j', 'k'], 'Next and previous question'],
  [['1', '…', '9'], 'Choose an option'],
  [['Tab'], 'Next field'],
  [['Space'], 'Focus answer; toggle option'],
  [['Enter'], 'Focus answer; send'],
  [['Ctrl', 'Enter'], 'Send from a text field'],
  [['c'], 'Add a comment'],
  [['d'], 'Skip question'],
  [['o'], 'Open conversation'],
  [['/'], 'Filter or search'],
  [['i'], 'Go to inbox'],
  [['n'], 'New conversation'],
  [['Esc'], 'Close / leave field'],
  [['?'], 'Show shortcuts'],
];

export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const { isOff } = useShortcutSettings();
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className={css.keys}>
        {SHORTCUTS.map(([keys, description]) => (
          <div key={description} className={css.row}>
            <dt>{keys.map((key) => (key === '…' ? <span key={key}> to </span> : <kbd key={key}>{key}</kbd>))}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <label className={css.toggle}>
        <input type="checkbox" checked={!isOff} onChange={() => setShortcutsOff(!isOff)} />
        Enable single-key shortcuts
      </label>
    </Dialog>
  );
}
