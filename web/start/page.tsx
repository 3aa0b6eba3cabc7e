import { Bot, Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { Empty } from '../design/empty';
import { Trouble } from '../design/trouble';
import { useAgents } from '../live/use-agents';
import { useMay } from '../session/session';
import { useTitle } from '../shell/page-title';
import css from './page.module.css';
import { StartForm } from './start-form';

export function StartPage() {
  useTitle('New conversation');
  const mayStart = useMay('conversations:write');
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 className={css.title}>New conversation</h1>
        <p className={css.lead}>
          Say what you want done. The agent gets on with it, and asks where the choice is yours.
        </p>
      </header>
      {mayStart ? <Ready /> : <NotAllowed />}
    </div>
  );
}

function Ready(): ReactNode {
  const { data: agents, error, refetch } = useAgents();
  if (agents && agents.length > 0) return <StartForm agents={agents} />;
  if (agents)
    return (
      <Empty art={<Bot size={34} />} title="There are no agents here yet">
        <p>An agent is a Markdown file in the folder of agents. Whoever runs this Parley can add one.</p>
      </Empty>
    );
  if (!error) return <p className={css.loading}>Looking up the agents …</p>;
  return (
    <Trouble title="The agents cannot be read just now" onRetry={() => void refetch()}>
      <p>{error.message}</p>
    </Trouble>
  );
}

function NotAllowed() {
  return (
    <Empty art={<Lock size={34} />} title="Your key may not start conversations">
      <p>
        That takes a key with the scope <code>conversations:write</code>. Ask whoever runs this Parley for
        one.
      </p>
    </Empty>
  );
}
