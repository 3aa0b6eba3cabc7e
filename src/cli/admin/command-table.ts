import type { CommandDefinition, CommandOption } from '#cli/command-table';
import type { AdminContext } from '#cli/context';
import { EXIT, type ExitCode } from '#cli/errors';

/** The definition of an administration command. It reads the configuration and does not call the API. */
export interface AdminCommandDefinition extends CommandDefinition<AdminContext> {
  /** Exit code for errors other than wrong usage. */
  failureExit: ExitCode;
}

const JSON_OPTION: CommandOption = ['--json', 'Print one JSON document'];
const SAMPLE_OPTION: CommandOption = [
  '--sample <count>',
  'Replay only this many open conversations, spread over all ages',
];

/** All admin commands, in the order of `parley admin --help`. */
export const ADMIN_COMMANDS: readonly AdminCommandDefinition[] = [
  {
    name: 'key',
    argumentSyntax: '',
    summary: 'Create an API key or an encryption key',
    details:
      'Shows the key once, with its entry for PARLEY_API_KEYS, which holds only the hash. With --encryption: an entry for ' +
      'PARLEY_ENCRYPTION_KEYS, which encrypts data in Temporal.',
    options: [
      ['--name <name>', 'Name of the caller: owns its conversations, and is recorded with its answers'],
      [
        '--scopes <scopes>',
        'Comma-separated: conversations:read, conversations:write, questions:answer, metrics:read, codec:decode, admin',
      ],
      ['--agents <names>', 'Comma-separated: the only agents that the key may start and see (default: all)'],
      ['--encryption', 'Create an encryption key'],
      ['--id <id>', 'Id of the encryption key (default: the date and random characters)'],
    ],
    examples: [
      ['parley admin key --name maria --scopes conversations:read,questions:answer', 'an API key for one person'],
      ['parley admin key --encryption', 'an encryption key'],
    ],
    failureExit: EXIT.failed,
    load: async () => (await import('#cli/admin/key')).runCreateKey,
  },
  {
    name: 'agents',
    argumentSyntax: '',
    summary: 'Check the agents in PARLEY_AGENTS and list them',
    details:
      'Reports all errors in all files, and exits with 1 if there are any. With --json: {items, warnings, faults}.',
    options: [JSON_OPTION],
    examples: [
      ['parley admin agents', 'before a deploy'],
      ['parley admin agents --json', 'for scripts'],
    ],
    failureExit: EXIT.failed,
    load: async () => (await import('#cli/admin/agents')).runCheckAgents,
  },
  {
    name: 'channels',
    argumentSyntax: '[place...]',
    summary: 'Send a test message through every channel and report errors',
    details: 'Sends to all places that agents name, or only to those you pass. Exits with 1 if one fails.',
    options: [['--secret <url>', 'Send nothing; show the secret with which this receiver checks signatures']],
    examples: [
      ['parley admin channels', 'every place that agents name'],
      ['parley admin channels slack:#ops email:you@example.com', 'only these two'],
      ['parley admin channels webhook:https://hooks.example.com/parley', 'one webhook receiver'],
    ],
    failureExit: EXIT.failed,
    load: async () => (await import('#cli/admin/channels')).runTestChannels,
  },
  {
    name: 'replay',
    argumentSyntax: '[file...]',
    summary: 'Replay histories on this build and list what would break',
    details:
      'Reads files (.pb.gz, or .json from `temporal workflow show --output json`), folders of them, or workflows from ' +
      'TEMPORAL_NAMESPACE at TEMPORAL_ADDRESS. Exits with 0 if all can continue, 1 if some would break, and 2 if ' +
      'that is unknown. With --json: {replayed, unbegun, broken, locked}.',
    options: [
      ['--open', 'All open conversations'],
      ['--id <id>', 'One conversation, open or closed'],
      SAMPLE_OPTION,
      JSON_OPTION,
    ],
    examples: [
      ['parley admin replay --open', 'before a deploy'],
      ['parley admin replay --open --sample 500', '500, spread over all ages'],
      ['parley admin replay test/histories', 'recorded histories'],
    ],
    failureExit: EXIT.usage,
    load: async () => (await import('#cli/admin/replay/run-replay')).runReplay,
  },
  {
    name: 'promote',
    argumentSyntax: '[build]',
    summary: 'Make a worker build the current one',
    details:
      'Its workers handle every conversation, parked ones included, from its next step on. Replays the open conversations ' +
      'on this code first. Exits with 0 if done, 1 if refused, and 2 if it could not run. To roll back, promote the older ' +
      'build.',
    options: [
      ['--ramp <percent>', 'Route only this percentage of conversations to it'],
      ['--unversioned', 'Promote workers that run without PARLEY_BUILD_ID'],
      ['--deployment <name>', 'Deployment name (default: PARLEY_DEPLOYMENT, or parley)'],
      ['--no-replay', "Don't replay first, for example because the code of an older build is not here"],
      SAMPLE_OPTION,
      ['--wait <seconds>', 'How long to wait for its workers to poll (default: 30)'],
      ['--force', 'Promote even if none of its workers polls'],
      ['--task-queue <name>', 'Override the default task queue'],
    ],
    examples: [
      ['parley admin promote 2026-11-17', 'after a replay of open conversations'],
      ['parley admin promote 2026-11-17 --ramp 10', '10 % of the conversations'],
      ['parley admin promote --unversioned', 'workers without a build id'],
    ],
    failureExit: EXIT.usage,
    load: async () => (await import('#cli/admin/promote/run-promote')).runPromote,
  },
];
