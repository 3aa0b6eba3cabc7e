import { widthOf } from '#cli/text/wrap';
import { currentStep, type Form, hasReview } from './form';

/** A key, what it does, and how soon it may go where there is little room: the highest goes first. */
interface Help {
  key: string;
  does: string;
  rank: number;
}

/** As many keys as fit on a line, the least needed left out. */
export function helpLine(form: Form, width: number): string {
  const all = helpOf(form);
  for (let shown = all; shown.length > 0; shown = withoutLeast(shown)) {
    const line = shown.map(({ key, does }) => `${key} ${does}`).join(' · ');
    if (widthOf(line) <= width) return line;
  }
  return '';
}

function withoutLeast(helps: Help[]): Help[] {
  const rank = Math.max(...helps.map((help) => help.rank));
  return helps.filter((help) => help.rank < rank);
}

function helpOf(form: Form): Help[] {
  const { over } = form;
  if (over?.kind === 'keys') return [help('Enter', 'close', 0), help('↑↓', 'scroll', 1)];
  if (over?.kind === 'comment') return [help('Enter', 'keep', 0), ...NEW_LINE, help('Esc', 'back', 1)];
  if (over?.kind === 'decline') return [help('Enter', 'decline', 0), ...NEW_LINE, help('Esc', 'back', 1)];
  const step = currentStep(form);
  if (step?.kind === 'list' && step.isWriting)
    return [help('Enter', step.isMany ? 'keep' : enterWord(form), 0), help('Esc', 'back', 1)];
  return [...own(form), ...(step ? [help('Enter', enterWord(form), 0)] : []), ...everywhere(form)];
}

const NEW_LINE = [help('Alt-Enter', 'new line', 2)];

function help(key: string, does: string, rank: number): Help {
  return { key, does, rank };
}

function enterWord(form: Form): string {
  return hasReview(form) ? 'next' : 'send';
}

function own(form: Form): Help[] {
  const step = currentStep(form);
  switch (step?.kind) {
    case undefined:
      return [help('↑↓', 'move', 4), help('Enter', form.row > form.steps.length ? 'send' : 'change', 0)];
    case 'list':
      return [
        help('↑↓', 'move', 4),
        ...(step.isMany ? [help('Space', 'choose', 1)] : []),
        ...(step.filter === undefined && !step.isMany ? [help('type', 'to filter', 5)] : []),
        ...(step.filter === undefined && step.isMany ? [help('Ctrl-A', 'all', 6)] : []),
      ];
    case 'flag':
      return [help('←→', 'move', 4)];
    case 'writing':
      return step.editor.isLong ? [help('Alt-Enter', 'new line', 4)] : [];
  }
}

function everywhere(form: Form): Help[] {
  const step = currentStep(form);
  const isFiltering = step?.kind === 'list' && step.filter !== undefined;
  return [
    ...(form.at > 0 ? [help('Shift-Tab', 'back', 5)] : []),
    help('Ctrl-T', 'comment', 7),
    help('Ctrl-X', 'decline', 6),
    help('Esc', isFiltering ? 'clear' : 'later', 2),
    help(step?.kind === 'writing' || isFiltering ? 'F1' : '?', 'keys', 3),
  ];
}

/** Every key there is here, with what it does. */
export function allKeys(form: Form): [key: string, does: string][] {
  return [
    ...keysOf(form),
    ['Ctrl-T', 'Add a comment'],
    ['Ctrl-X', 'Decline, with a reason if you like'],
    ['Esc', 'Leave it for later'],
    ['Ctrl-C', 'Leave'],
  ];
}

const BACK: [string, string] = ['Shift-Tab', 'The step before'];

function keysOf(form: Form): [string, string][] {
  const step = currentStep(form);
  const back = hasReview(form) ? [BACK] : [];
  switch (step?.kind) {
    case undefined:
      return [['↑ ↓ j k', 'Move'], ['Enter', 'Send it, or change that line'], ...back];
    case 'list':
      return [
        ['↑ ↓ j k', 'Move; also Home, End, PgUp, PgDn'],
        ['1 … 9', 'Go to that one'],
        ...(step.isMany
          ? ([
              ['Space Tab', 'Choose it, or not'],
              ['Ctrl-A', 'All, or none'],
            ] as [string, string][])
          : []),
        ['Enter', hasReview(form) ? 'Take it and go on' : 'Send'],
        ['a-z /', 'Show only what has this in it'],
        ...back,
      ];
    case 'flag':
      return [['← → y n', 'Move'], ['Enter', hasReview(form) ? 'Take it and go on' : 'Send'], ...back];
    case 'writing':
      return [
        ['Enter', hasReview(form) ? 'Take it and go on' : 'Send'],
        ...(step.editor.isLong ? ([['Alt-Enter', 'A new line; also Ctrl-J']] as [string, string][]) : []),
        ['← → Alt-B/F', 'Move by characters, by words'],
        ['Ctrl-A/E', 'To the start, to the end'],
        ['Ctrl-U/K', 'Delete to the start, to the end'],
        ['Ctrl-W', 'Delete the word before'],
        ...back,
      ];
  }
}
