import { setShortcutsOff, useShortcutSettings } from '../lib/shortcuts';
import { Dialog } from '../ui/dialog';
import css from './keyboard-help.module.css';

const SHORTCUTS: [string[], string][] = [
  [['j', 'k'], 'Next and previous question'],
  [['1', '…', '9'], 'Choose an option'],
  [['Tab'], 'To the next field'],
  [['Space'], 'To the answer; there, choose or leave out an option'],
  [['Enter'], 'To the answer; there, send it'],
  [['Ctrl', 'Enter'], 'Send from within a text box'],
  [['c'], 'Add a comment'],
  [['d'], 'Decline'],
  [['o'], 'Open the whole conversation'],
  [['/'], 'Filter or search'],
  [['i'], 'To the inbox'],
  [['n'], 'New conversation'],
  [['Esc'], 'Leave a text box or close a window'],
  [['?'], 'This help'],
];

export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const { isOff } = useShortcutSettings();
  return (
    <Dialog title="Keyboard" onClose={onClose}>
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
        Keys of a single letter or digit do something
      </label>
    </Dialog>
  );
}
