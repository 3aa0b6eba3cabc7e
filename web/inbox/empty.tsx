import { Coffee, SearchX } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { Button, buttonClass } from '../design/button';
import { Empty } from '../design/empty';
import { useMay } from '../session/session';

export function AllDone() {
  const mayStart = useMay('conversations:write');
  return (
    <Empty art={<Coffee size={34} />} title="Nobody is waiting for you">
      <p>When an agent needs an answer, its question shows up here by itself.</p>
      {mayStart && (
        <Link href="/new" className={buttonClass()}>
          Start a conversation
        </Link>
      )}
    </Empty>
  );
}

export function NothingFound() {
  const [, go] = useLocation();
  return (
    <Empty art={<SearchX size={34} />} title="No question fits the filter">
      <Button onClick={() => go('/')}>Show all</Button>
    </Empty>
  );
}
