import { Search } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { classes } from '../design/classes';
import input from '../question/input.module.css';
import { useShortcuts } from '../shell/shortcuts';
import css from './filter-bar.module.css';

interface Props {
  value: string;
  longest: number;
  onSearch: (text: string) => void;
}

const PAUSE_MS = 250;

/** Searches when one pauses in typing, or at once on Enter. */
export function SearchBox({ value, longest, onSearch }: Props) {
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useSearchText(value, onSearch);
  useShortcuts({
    '/': (event) => {
      event.preventDefault();
      box.current?.focus();
    },
  });
  return (
    <form
      className={css.search}
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.trim());
      }}
    >
      <label className="unseen" htmlFor={id}>
        Search conversations
      </label>
      <Search className={css.glass} size={18} aria-hidden="true" />
      <input
        ref={box}
        id={id}
        type="search"
        className={classes(input.input, css.box)}
        placeholder="Search"
        value={text}
        maxLength={longest}
        dir="auto"
        autoComplete="off"
        onChange={({ target }) => setText(target.value)}
      />
    </form>
  );
}

/** What is typed, which is ahead of what is searched for; the back button moves both. */
function useSearchText(value: string, onSearch: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const [sent, setSent] = useState(value);
  const send = useRef(onSearch);
  send.current = onSearch;
  if (value !== sent && value !== text.trim()) setText(value);
  if (value !== sent) setSent(value);

  useEffect(() => {
    const asked = text.trim();
    if (asked === sent) return;
    const timer = setTimeout(() => {
      setSent(asked);
      send.current(asked);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, sent]);
  return [text, setText];
}
