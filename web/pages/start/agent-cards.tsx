import { MessageSquareOff, ShieldCheck, Users } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import type { AgentView } from '#contract/agent';
import css from './agent-cards.module.css';
import form from './start-form.module.css';

interface Props {
  agents: AgentView[];
  picked: string;
  fault: string | undefined;
  onPick: (name: string) => void;
}

export function AgentCards({ agents, picked, fault, onPick }: Props) {
  const id = useId();
  return (
    <fieldset aria-describedby={fault ? `${id}-fault` : undefined} data-invalid={fault ? true : undefined}>
      <legend className={form.label}>Agent</legend>
      {fault && (
        <p id={`${id}-fault`} className={form.fault} role="alert">
          {fault}
        </p>
      )}
      <div className={css.cards}>
        {agents.map((agent) => (
          <AgentCard
            key={agent.name}
            agent={agent}
            group={id}
            isPicked={agent.name === picked}
            onPick={() => onPick(agent.name)}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface AgentCardProps {
  agent: AgentView;
  group: string;
  isPicked: boolean;
  onPick: () => void;
}

function AgentCard({ agent, group, isPicked, onPick }: AgentCardProps) {
  const id = useId();
  return (
    <label className={css.card}>
      <input
        type="radio"
        name={group}
        value={agent.name}
        checked={isPicked}
        onChange={onPick}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-about`}
      />
      <span className={css.words}>
        <span id={`${id}-name`} className={css.name}>
          {agent.name}
        </span>
        <span id={`${id}-about`} className={css.about}>
          <span className={css.description} dir="auto">
            {agent.description}
          </span>
          <AgentFacts agent={agent} />
        </span>
      </span>
    </label>
  );
}

/** What one should know before it is set to work. */
function AgentFacts({ agent: { requiresConfirmation, subagents, canAsk } }: { agent: AgentView }) {
  return (
    <>
      {requiresConfirmation.length > 0 && (
        <AgentFact icon={<ShieldCheck size={15} aria-hidden="true" />}>
          Asks for a yes before {requiresConfirmation.join(', ')}
        </AgentFact>
      )}
      {subagents.length > 0 && (
        <AgentFact icon={<Users size={15} aria-hidden="true" />}>Works with {subagents.join(', ')}</AgentFact>
      )}
      {!canAsk && <AgentFact icon={<MessageSquareOff size={15} aria-hidden="true" />}>May not ask questions</AgentFact>}
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
