import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import { readStoredValue, writeStoredValue } from './local-storage';

export type ShortcutHandlers = Record<string, (event: KeyboardEvent) => void>;

const STORAGE_NAME = 'shortcuts-off';

/** Who speaks to their computer, or has a restless hand, can do without keys that act by themselves. */
export const useShortcutSettings = create(() => ({ isOff: readStoredValue<boolean>(STORAGE_NAME) ?? false }));

export function setShortcutsOff(isOff: boolean): void {
  writeStoredValue(STORAGE_NAME, isOff || undefined);
  useShortcutSettings.setState({ isOff });
}

/** Keys that do something wherever one is, except where one types, in a dialog, or with a modifier held. */
export function useShortcuts(shortcuts: ShortcutHandlers): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = current.current[event.key];
      if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      // A key held down is pressed once.
      if (event.repeat || useShortcutSettings.getState().isOff) return;
      if (event.isComposing || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      act(event);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

const NON_TEXT_INPUTS = new Set(['radio', 'checkbox', 'button', 'submit']);

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !NON_TEXT_INPUTS.has(target.type);
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  );
}
