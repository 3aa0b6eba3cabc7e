import type { CommandContext } from '#cli/context';
import { EXIT, type ExitCode } from '#cli/errors';
import { askQuestion } from '#cli/prompt/ask-question';
import { enterRawMode, type KeyPress, type RawMode } from '#cli/tty/keyboard';
import { openLiveRegion } from '#cli/tty/live-region';
import type { Question } from '#contract/question';
import { renderInbox } from './render';
import {
  type InboxScope,
  type InboxState,
  listVisibleQuestions,
  selectedIndex,
  selectedQuestion,
  selectIndex,
  setInboxFilter,
} from './state';
import { type InboxUpdates, openInboxUpdates } from './updates';

const TICK_MS = 1_000;

/** The inbox for a person: choose, answer, and the next is there, until they leave. */
export async function runInteractiveInbox(context: CommandContext, filter: InboxScope): Promise<ExitCode> {
  const news = openInboxUpdates(context, filter);
  try {
    return await answerUntilLeft(context, news);
  } finally {
    news.stop();
  }
}

async function answerUntilLeft(context: CommandContext, news: InboxUpdates): Promise<ExitCode> {
  let next: Question | undefined;
  for (;;) {
    const question = next ?? (await chooseQuestion(context, news));
    if (!question) return inboxExitCode(news);
    const { kind, question: now } = await news.during(question, (gone) => askQuestion(context, question, gone));
    if (kind === 'left') return inboxExitCode(news);
    const isOver = kind === 'settled' || kind === 'kept' || kind === 'gone';
    if (isOver) news.tell(now, kind === 'kept');
    // Whoever put one off, or may not answer it, looks for another.
    next = isOver ? selectedQuestion(news.shelf) : undefined;
  }
}

function inboxExitCode({ shelf }: InboxUpdates): ExitCode {
  return listVisibleQuestions({ ...shelf, filter: undefined }).length > 0 ? EXIT.waiting : EXIT.completed;
}

/** Nothing where they leave. */
async function chooseQuestion({ terminal }: CommandContext, news: InboxUpdates): Promise<Question | undefined> {
  const region = openLiveRegion(terminal);
  const draw = () => {
    const room = {
      width: terminal.width(),
      height: terminal.height(),
      style: terminal.style,
      now: Date.now(),
    };
    region.draw(renderInbox(news.shelf, room, news.said));
  };
  const ticking = setInterval(draw, TICK_MS);
  terminal.output.on('resize', draw);
  news.onChange = draw;
  let raw: RawMode | undefined;
  try {
    const chosen = new Promise<Question | undefined>((resolve) => {
      const onKey = (key: KeyPress) => {
        const pressed = handleInboxKey(news.shelf, key);
        if (pressed.kind === 'leave') return resolve(undefined);
        if (pressed.kind === 'open') return resolve(selectedQuestion(news.shelf));
        news.shelf = pressed.shelf;
        draw();
      };
      const onEnd = () => resolve(undefined);
      raw = enterRawMode(terminal, { onKey, onEnd, onStop: region.forget, onBack: draw });
      draw();
    });
    return await Promise.race([chosen, news.broken]);
  } finally {
    news.onChange = () => undefined;
    clearInterval(ticking);
    terminal.output.off('resize', draw);
    region.clear();
    raw?.restore();
  }
}

/** What a key does: it moves about, opens what is marked, or leaves. */
export type InboxKeyResult = { kind: 'stay'; shelf: InboxState } | { kind: 'open' } | { kind: 'leave' };

const PAGE_ROWS = 5;
const LAST_INDEX = Number.POSITIVE_INFINITY;

/** As in a question: letters that mean something do so until somebody types to filter. */
export function handleInboxKey(shelf: InboxState, key: KeyPress): InboxKeyResult {
  const { name, text, ctrl, meta } = key;
  if (ctrl && name === 'c') return { kind: 'leave' };
  if (name === 'return' || name === 'enter')
    return listVisibleQuestions(shelf).length > 0 ? { kind: 'open' } : { kind: 'stay', shelf };
  if (name === 'escape')
    return shelf.filter === undefined ? { kind: 'leave' } : { kind: 'stay', shelf: setInboxFilter(shelf, undefined) };
  const moved = moveSelection(shelf, name);
  if (moved) return { kind: 'stay', shelf: moved };
  if (ctrl || meta) return { kind: 'stay', shelf };
  return handleTypedText(shelf, name === 'paste' ? text.replaceAll('\n', ' ') : text, name);
}

function moveSelection(shelf: InboxState, name: string): InboxState | undefined {
  const place = selectedIndex(shelf);
  const places: Record<string, number> = {
    up: place - 1,
    down: place + 1,
    pageup: place - PAGE_ROWS,
    pagedown: place + PAGE_ROWS,
    home: 0,
    end: LAST_INDEX,
  };
  const wanted = places[name];
  return wanted === undefined ? undefined : selectIndex(shelf, wanted);
}

function handleTypedText(shelf: InboxState, text: string, name: string): InboxKeyResult {
  const { filter } = shelf;
  if (name === 'backspace') return { kind: 'stay', shelf: setInboxFilter(shelf, withoutLastCharacter(filter)) };
  if (filter !== undefined) return { kind: 'stay', shelf: text === '' ? shelf : setInboxFilter(shelf, filter + text) };
  if (text === 'q') return { kind: 'leave' };
  if (text === 'j' || text === 'k')
    return { kind: 'stay', shelf: selectIndex(shelf, selectedIndex(shelf) + (text === 'j' ? 1 : -1)) };
  if (/^[1-9]$/.test(text)) return { kind: 'stay', shelf: selectIndex(shelf, Number(text) - 1) };
  if (text === '/') return { kind: 'stay', shelf: setInboxFilter(shelf, '') };
  return { kind: 'stay', shelf: text.trim() === '' ? shelf : setInboxFilter(shelf, text) };
}

function withoutLastCharacter(filter: string | undefined): string | undefined {
  const rest = [...(filter ?? '')].slice(0, -1).join('');
  return rest === '' ? undefined : rest;
}
