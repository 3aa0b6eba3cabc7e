import type { CommandContext } from '#cli/context';
import { EXIT, type ExitCode } from '#cli/errors';
import { askQuestion } from '#cli/prompt/ask-question';
import { type KeyPress, keyChord } from '#cli/tty/keyboard';
import { editListFilter, moveInList } from '#cli/tty/list-keys';
import { openLiveView } from '#cli/tty/live-view';
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

/** Runs the interactive inbox: the user picks a question, answers it and gets the next one, until they quit. */
export async function runInteractiveInbox(context: CommandContext, filter: InboxScope): Promise<ExitCode> {
  const updates = new InboxUpdates(context, filter);
  void updates.checkWorkers();
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
  let choose: (question: Question | undefined) => void = () => undefined;
  const chosen = new Promise<Question | undefined>((resolve) => {
    choose = resolve;
  });
  const view = openLiveView(terminal, {
    render: (viewport) => renderInbox(updates.state, viewport, updates.notice),
    onKey(key) {
      const result = handleInboxKey(updates.state, key);
      if (result === 'leave') return choose(undefined);
      if (result === 'open') return choose(selectedQuestion(updates.state));
      updates.state = result;
      view.redraw();
    },
    onEnd: () => choose(undefined),
  });
  updates.onChange = view.redraw;
  try {
    return await Promise.race([chosen, updates.failure]);
  } finally {
    updates.onChange = () => undefined;
    view.close();
  }
}

const PAGE_ROWS = 5;

/** Returns the new state, or whether to open the selected question or quit. Keys work as in the question form. */
export function handleInboxKey(state: InboxState, key: KeyPress): InboxState | 'open' | 'leave' {
  const { filter } = state;
  const chord = keyChord(key);
  const rowCount = listVisibleQuestions(state).length;
  if (chord === 'C-c' || (filter === undefined && (chord === 'escape' || chord === 'q'))) return 'leave';
  if (chord === 'return' || chord === 'enter') return rowCount > 0 ? 'open' : state;
  const rowIndex = moveInList(key, { rowIndex: selectedIndex(state), rowCount, pageRows: PAGE_ROWS, filter });
  if (rowIndex !== undefined) return selectIndex(state, rowIndex);
  const newFilter = editListFilter(key, filter);
  return newFilter === false ? state : setInboxFilter(state, newFilter);
}
