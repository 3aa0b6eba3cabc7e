import { toAgentView } from '#agents/agent-view';
import { InvalidAgentsError, loadAgents } from '#agents/load-agents';
import { findAgentWarnings } from '#agents/validation/warnings';
import { readConfig } from '#channels/read-config';
import { renderAgent } from '#cli/commands/agents';
import type { AdminContext, AdminHandler } from '#cli/context';
import { EXIT } from '#cli/errors';
import type { Agent } from '#contract/agent';
import { builtInTools } from '#tools/registry';
import { selectToolsFor } from '#tools/tool-set';

/** Validates the agents in the configured folder and lists them. */
export const runCheckAgents: AdminHandler = async (context) => {
  try {
    listAgents(context);
    return EXIT.completed;
  } catch (error) {
    if (!(context.isJson && error instanceof InvalidAgentsError)) throw error;
    context.terminal.printJson({ items: [], warnings: [], faults: error.issues });
    return EXIT.failed;
  }
};

function listAgents({ terminal, env, isJson }: AdminContext): void {
  const { agentsFolder: folder, environment, publicUrl = '' } = readConfig(env);
  const agents = loadAgents(folder, builtInTools);
  const all = [...agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const toolNames = (agent: Agent) => selectToolsFor(agent, builtInTools).map(({ name }) => name);
  const views = all.map((agent) => toAgentView(agent, publicUrl, toolNames(agent)));
  const warnings = all.flatMap((agent) => findAgentWarnings(agent, environment));
  if (isJson) return terminal.printJson({ items: views, warnings, faults: [] });
  terminal.print(`${all.length} valid agent${all.length === 1 ? '' : 's'} in ${folder}:`, '');
  for (const view of views) terminal.print(...renderAgent(view, terminal), '');
  if (warnings.length > 0) terminal.printError('Warnings:', ...warnings.map((warning) => `  ${warning}`));
}
