import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import { readStored, store } from '../stored';

export type Shortcuts = Record<string, (event: KeyboardEvent) => void>;

const OFF = 'shortcuts-off';

/** Who speaks to their computer, or has a restless hand, can do without keys that act by themselves. */
export const useShortcutsOff = create(() => ({ isOff: readStored<boolean>(OFF) ?? false }));

export function switchShortcuts(isOff: boolean): void {
  store(OFF, isOff || undefined);
  useShortcutsOff.setState({ isOff });
}

/** Keys that do something wherever one is, except where one types, in a dialog, or with a modifier held. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = current.current[event.key];
      if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      // A key held down is pressed once.
      if (event.repeat || useShortcutsOff.getState().isOff) return;
      if (event.isComposing || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      act(event);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

const KEYLESS = new Set(['radio', 'checkbox', 'button', 'submit']);

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !KEYLESS.has(target.type);
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  );
}
