import type { Command } from './command';

/** Every command there is, in the order of `parley --help`. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'answer',
    takes: '<id>',
    summary: 'Answer what a conversation asks',
    about: 'Asks you right here, by keys in a terminal and line by line on a pipe.',
    options: [],
    examples: [['parley answer conv-7f3k', 'the question that conversation waits with']],
    load: () => import('./commands/answer.js'),
  },
  {
    name: 'list',
    takes: '',
    summary: 'List conversations, those that are open first',
    options: [
      { flags: '--status <status>', does: 'Only running, waiting, completed, failed or cancelled ones' },
      { flags: '--agent <name>', does: 'Only those of this agent' },
      { flags: '--search <words>', does: 'Only those with all of these words in id, title, agent or result' },
      { flags: '--limit <count>', does: 'How many at most, 20 unless said' },
    ],
    examples: [
      ['parley list', 'the newest twenty'],
      ['parley list --status waiting', 'those that wait for a person'],
      ['parley list --limit 1000 --json', 'up to a thousand, for a program'],
    ],
    load: () => import('./commands/list.js'),
  },
];
