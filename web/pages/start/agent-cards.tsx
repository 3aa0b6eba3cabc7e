import { MessageSquareOff, ShieldCheck, Users } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import type { AgentView } from '#contract/agent';
import css from './agent-cards.module.css';
import form from './start-form.module.css';

interface Props {
  agents: AgentView[];
  selected: string;
  error: string | undefined;
  onSelect: (name: string) => void;
}

export function AgentCards({ agents, selected, error, onSelect }: Props) {
  const id = useId();
  return (
    <fieldset aria-describedby={error ? `${id}-error` : undefined} data-invalid={error ? true : undefined}>
      <legend className={form.label}>Agent</legend>
      {error && (
        <p id={`${id}-error`} className={form.error} role="alert">
          {error}
        </p>
      )}
      <div className={css.cards}>
        {agents.map((agent) => (
          <AgentCard
            key={agent.name}
            agent={agent}
            groupName={id}
            isSelected={agent.name === selected}
            onSelect={() => onSelect(agent.name)}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface AgentCardProps {
  agent: AgentView;
  groupName: string;
  isSelected: boolean;
  onSelect: () => void;
}

function AgentCard({ agent, groupName, isSelected, onSelect }: AgentCardProps) {
  const id = useId();
  return (
    <label className={css.card}>
      <input
        type="radio"
        name={groupName}
        value={agent.name}
        checked={isSelected}
        onChange={onSelect}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-about`}
      />
      <span className={css.text}>
        <span id={`${id}-name`} className={css.name}>
          {agent.name}
        </span>
        <span id={`${id}-about`} className={css.details}>
          <span className={css.description} dir="auto">
            {agent.description}
          </span>
          <AgentFacts agent={agent} />
        </span>
      </span>
    </label>
  );
}

/** Shows what the user should know before starting the agent. */
function AgentFacts({ agent: { requiresConfirmation, subagents, canAsk } }: { agent: AgentView }) {
  return (
    <>
      {requiresConfirmation.length > 0 && (
        <AgentFact icon={<ShieldCheck size={15} aria-hidden="true" />}>
          Needs approval for {requiresConfirmation.join(', ')}
        </AgentFact>
      )}
      {subagents.length > 0 && (
        <AgentFact icon={<Users size={15} aria-hidden="true" />}>Works with {subagents.join(', ')}</AgentFact>
      )}
      {!canAsk && <AgentFact icon={<MessageSquareOff size={15} aria-hidden="true" />}>Can't ask questions</AgentFact>}
    </>
  );
}

function AgentFact({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <span className={css.fact}>
      {icon}
      <span>{children}</span>
    </span>
  );
}
