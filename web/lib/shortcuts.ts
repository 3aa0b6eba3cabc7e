import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import { readStoredValue, writeStoredValue } from './local-storage';

export type ShortcutHandlers = Record<string, (event: KeyboardEvent) => void>;

const STORAGE_NAME = 'shortcuts-off';

/** Single-key shortcuts can be turned off, because speech input or an unsteady hand may trigger them. */
export const useShortcutSettings = create(() => ({ isOff: readStoredValue<boolean>(STORAGE_NAME) ?? false }));

export function setShortcutsOff(isOff: boolean): void {
  writeStoredValue(STORAGE_NAME, isOff || undefined);
  useShortcutSettings.setState({ isOff });
}

/** Page-wide shortcuts, ignored while typing, in a dialog, or with a modifier key. */
export function useShortcuts(shortcuts: ShortcutHandlers): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const handler = latest.current[event.key];
      if (!handler || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      // Key repeats are ignored.
      if (event.repeat || useShortcutSettings.getState().isOff) return;
      if (event.isComposing || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      handler(event);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
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
