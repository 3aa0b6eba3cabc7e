import type { CommandContext } from '#cli/context';
import { EXIT, type ExitCode } from '#cli/errors';
import { askQuestion } from '#cli/prompt/ask-question';
import { readViewport } from '#cli/render/viewport';
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
import { InboxUpdates } from './updates';

const TICK_MS = 1_000;

/** Runs the interactive inbox: the user picks a question, answers it and gets the next one, until they quit. */
export async function runInteractiveInbox(context: CommandContext, filter: InboxScope): Promise<ExitCode> {
  const updates = new InboxUpdates(context, filter);
  void updates.pollWorkers();
  try {
    return await answerUntilLeft(context, updates);
  } finally {
    updates.stop();
  }
}

async function answerUntilLeft(context: CommandContext, updates: InboxUpdates): Promise<ExitCode> {
  let next: Question | undefined;
  for (;;) {
    const question = next ?? (await chooseQuestion(context, updates));
    if (!question) return inboxExitCode(updates);
    const { kind, question: current } = await updates.whileAnswering(question, (resolvedElsewhere) =>
      askQuestion(context, question, resolvedElsewhere),
    );
    if (kind === 'quit') return inboxExitCode(updates);
    const isResolved = kind === 'accepted' || kind === 'queued' || kind === 'resolvedElsewhere';
    if (isResolved) updates.markResolved(current, kind === 'queued');
    // After a postponed or refused question, the user picks another.
    next = isResolved ? selectedQuestion(updates.state) : undefined;
  }
}

function inboxExitCode({ state }: InboxUpdates): ExitCode {
  return listVisibleQuestions({ ...state, filter: undefined }).length > 0 ? EXIT.waiting : EXIT.completed;
}

/** Returns undefined if the user quits. */
async function chooseQuestion({ terminal }: CommandContext, updates: InboxUpdates): Promise<Question | undefined> {
  const region = openLiveRegion(terminal);
  const draw = () => region.draw(renderInbox(updates.state, readViewport(terminal), updates.notice));
  const redrawTimer = setInterval(draw, TICK_MS);
  terminal.output.on('resize', draw);
  updates.onChange = draw;
  let rawMode: RawMode | undefined;
  try {
    const chosen = new Promise<Question | undefined>((resolve) => {
      const onKey = (key: KeyPress) => {
        const result = handleInboxKey(updates.state, key);
        if (result.kind === 'leave') return resolve(undefined);
        if (result.kind === 'open') return resolve(selectedQuestion(updates.state));
        updates.state = result.state;
        draw();
      };
      const onEnd = () => resolve(undefined);
      rawMode = enterRawMode(terminal, { onKey, onEnd, onSuspend: region.reset, onResume: draw });
      draw();
    });
    return await Promise.race([chosen, updates.failure]);
  } finally {
    updates.onChange = () => undefined;
    clearInterval(redrawTimer);
    terminal.output.off('resize', draw);
    region.clear();
    rawMode?.restore();
  }
}

/** The effect of a key: a new state, open the selected question, or quit. */
export type InboxKeyResult = { kind: 'stay'; state: InboxState } | { kind: 'open' } | { kind: 'leave' };

const PAGE_ROWS = 5;
const LAST_INDEX = Number.POSITIVE_INFINITY;

/** Handles a key. Letters are shortcuts until the user types a filter, as in the question form. */
export function handleInboxKey(state: InboxState, key: KeyPress): InboxKeyResult {
  const { name, text, ctrl, meta } = key;
  if (ctrl && name === 'c') return { kind: 'leave' };
  if (name === 'return' || name === 'enter')
    return listVisibleQuestions(state).length > 0 ? { kind: 'open' } : { kind: 'stay', state };
  if (name === 'escape')
    return state.filter === undefined ? { kind: 'leave' } : { kind: 'stay', state: setInboxFilter(state, undefined) };
  const moved = moveSelection(state, name);
  if (moved) return { kind: 'stay', state: moved };
  if (ctrl || meta) return { kind: 'stay', state };
  return handleTypedText(state, name === 'paste' ? text.replaceAll('\n', ' ') : text, name);
}

function moveSelection(state: InboxState, name: string): InboxState | undefined {
  const current = selectedIndex(state);
  const targets: Record<string, number> = {
    up: current - 1,
    down: current + 1,
    pageup: current - PAGE_ROWS,
    pagedown: current + PAGE_ROWS,
    home: 0,
    end: LAST_INDEX,
  };
  const target = targets[name];
  return target === undefined ? undefined : selectIndex(state, target);
}

function handleTypedText(state: InboxState, text: string, name: string): InboxKeyResult {
  const { filter } = state;
  if (name === 'backspace') return { kind: 'stay', state: setInboxFilter(state, withoutLastCharacter(filter)) };
  if (filter !== undefined) return { kind: 'stay', state: text === '' ? state : setInboxFilter(state, filter + text) };
  if (text === 'q') return { kind: 'leave' };
  if (text === 'j' || text === 'k')
    return { kind: 'stay', state: selectIndex(state, selectedIndex(state) + (text === 'j' ? 1 : -1)) };
  if (/^[1-9]$/.test(text)) return { kind: 'stay', state: selectIndex(state, Number(text) - 1) };
  if (text === '/') return { kind: 'stay', state: setInboxFilter(state, '') };
  return { kind: 'stay', state: text.trim() === '' ? state : setInboxFilter(state, text) };
}

function withoutLastCharacter(filter: string | undefined): string | undefined {
  const shortened = [...(filter ?? '')].slice(0, -1).join('');
  return shortened === '' ? undefined : shortened;
}
