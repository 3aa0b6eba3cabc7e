import type { CommandDefinition } from '#cli/command-table';
import type { AdminHandler } from '#cli/context';
import { EXIT, type ExitCode } from '#cli/errors';

/** The definition of an administration command. It reads the configuration and does not call the API. */
export interface AdminCommandDefinition extends Omit<CommandDefinition, 'load'> {
  /** Exit code for errors other than wrong usage. */
  failureExit: ExitCode;
  loadAdmin(): Promise<AdminHandler<never>>;
}

const JSON_OPTION = { flags: '--json', description: 'Print one JSON document' };
const SAMPLE_OPTION = {
  flags: '--sample <count>',
  description: 'Replay only this many open conversations, spread over all ages',
};

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
      {
        flags: '--name <name>',
        description: 'Name of the caller: owns its conversations, and is recorded with its answers',
      },
      {
        flags: '--scopes <scopes>',
        description: 'Comma-separated: conversations:read, conversations:write, questions:answer, admin',
      },
      { flags: '--encryption', description: 'Create an encryption key' },
      {
        flags: '--id <id>',
        description: 'Id of the encryption key (default: the date and random characters)',
      },
    ],
    examples: [
      ['parley admin key --name maria --scopes conversations:read,questions:answer', 'an API key for one person'],
      ['parley admin key --encryption', 'an encryption key'],
    ],
    failureExit: EXIT.failed,
    loadAdmin: async () => (await import('#cli/admin/key')).runCreateKey,
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
    loadAdmin: async () => (await import('#cli/admin/agents')).runCheckAgents,
  },
  {
    name: 'channels',
    argumentSyntax: '[place...]',
    summary: 'Send a test message through every channel and report errors',
    details: 'Sends to all places that agents name, or only to those you pass. Exits with 1 if one fails.',
    options: [
      {
        flags: '--secret <url>',
        description: 'Send nothing; show the secret with which this receiver checks signatures',
      },
    ],
    examples: [
      ['parley admin channels', 'every place that agents name'],
      ['parley admin channels slack:#ops email:you@example.com', 'only these two'],
      ['parley admin channels webhook:https://hooks.example.com/parley', 'one webhook receiver'],
    ],
    failureExit: EXIT.failed,
    loadAdmin: async () => (await import('#cli/admin/channels')).runTestChannels,
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
      { flags: '--open', description: 'All open conversations' },
      { flags: '--id <id>', description: 'One conversation, open or closed' },
      { flags: '--limit <count>', description: 'Only this many open conversations, newest first' },
      SAMPLE_OPTION,
      JSON_OPTION,
    ],
    examples: [
      ['parley admin replay --open', 'before a deploy'],
      ['parley admin replay --open --sample 500', '500, spread over all ages'],
      ['parley admin replay test/histories', 'recorded histories'],
    ],
    failureExit: EXIT.usage,
    loadAdmin: async () => (await import('#cli/admin/replay/run-replay')).runReplay,
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
      { flags: '--ramp <percent>', description: 'Route only this percentage of conversations to it' },
      { flags: '--unversioned', description: 'Promote workers that run without PARLEY_BUILD_ID' },
      { flags: '--deployment <name>', description: 'Deployment name (default: PARLEY_DEPLOYMENT, or parley)' },
      {
        flags: '--no-replay',
        description: "Don't replay first, for example because the code of an older build is not here",
      },
      SAMPLE_OPTION,
      { flags: '--wait <seconds>', description: 'How long to wait for its workers to poll (default: 30)' },
      { flags: '--force', description: 'Promote even if none of its workers polls' },
      { flags: '--task-queue <name>', description: 'Override the default task queue' },
    ],
    examples: [
      ['parley admin promote 2026-11-17', 'after a replay of open conversations'],
      ['parley admin promote 2026-11-17 --ramp 10', '10 % of the conversations'],
      ['parley admin promote --unversioned', 'workers without a build id'],
    ],
    failureExit: EXIT.usage,
    loadAdmin: async () => (await import('#cli/admin/promote/run-promote')).runPromote,
  },
];
