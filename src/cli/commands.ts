import type { Command, Option } from './command';

/** How one looks on. */
const FOLLOWING: readonly Option[] = [
  { flags: '--no-input', does: 'Ask nobody here: end with 3 where it waits for an answer' },
  { flags: '--wait', does: 'Stay until it is over, whoever answers' },
  { flags: '--events', does: 'For programs: each event as one line of JSON' },
];
const DETACH: Option = { flags: '--detach', does: 'Do not look on' };

/** Every command there is, in the order of `parley --help`. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'start',
    takes: '[agent] [message...]',
    summary: 'Start a conversation, and look on',
    about:
      'The message goes in quotes; - reads it from stdin. Without an agent it is for assistant. What is asked is asked right here.',
    options: [
      { flags: '--detach', does: 'Print its id and do not look on' },
      { flags: '--id <id>', does: 'An id of your own: started once, however often it is said' },
      { flags: '--timeout <time>', does: 'How long its questions wait, as in 90s, 4h, 3d or never' },
      { flags: '--on-timeout <what>', does: 'What happens then: continue, default, fail or wait' },
      { flags: '--assign <name>', does: 'Who may see it and answer; may be given again', isList: true },
      { flags: '--visible-to <name>', does: 'Who may see it; may be given again', isList: true },
      {
        flags: '--notify <place>',
        does: 'Where to tell of questions, as in slack:#ops; may be given again',
        isList: true,
      },
      { flags: '--callback <url>', does: 'A web address that is told what happens' },
      { flags: '--metadata <json>', does: 'A JSON object to keep with it' },
      ...FOLLOWING,
    ],
    examples: [
      ['parley start "Plan our team offsite"', 'talk to the assistant'],
      ['parley start researcher "Compare these two"', 'talk to another agent'],
      ['git diff | parley start -', 'the message from a pipe'],
      ['parley start --detach "Clean up"', 'only its id, and it goes on'],
    ],
    load: () => import('./commands/start.js'),
  },
  {
    name: 'watch',
    takes: '<id>',
    summary: 'Look on at a conversation, and answer what it asks',
    options: [{ flags: '--from-start', does: 'Tell the whole story first' }, ...FOLLOWING],
    examples: [
      ['parley watch ID', 'what happens from now on'],
      ['parley watch ID --no-input --wait', 'stay until it is over, and answer nothing'],
    ],
    load: () => import('./commands/watch.js'),
  },
  {
    name: 'say',
    takes: '<id> <message...>',
    summary: 'Say more in a conversation, and look on',
    about:
      'It takes one that is over up again. While a question for text is open, it is the answer. - reads it from stdin.',
    options: [DETACH, ...FOLLOWING],
    examples: [
      ['parley say ID "Make it two days"', 'a further message'],
      ['parley say ID - --detach < notes.md', 'from a file, and do not look on'],
    ],
    load: () => import('./commands/say.js'),
  },
  {
    name: 'show',
    takes: '<id>',
    summary: 'Show all of a conversation',
    options: [{ flags: '--timeline', does: 'With --json: what happened in it, as {items}' }],
    examples: [
      ['parley show ID', 'from the first word to the last'],
      ['parley show ID --json', 'how it stands, for a program'],
    ],
    load: () => import('./commands/show.js'),
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
