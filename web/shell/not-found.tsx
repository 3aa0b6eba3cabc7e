import { Compass } from 'lucide-react';
import { Link } from 'wouter';
import { buttonClass } from '../design/button';
import { Empty } from '../design/empty';
import { useTitle } from './page-title';

export function NotFound() {
  useTitle('Not found');
  return (
    <>
      <h1 className="unseen">Not found</h1>
      <Empty art={<Compass size={34} />} title="There is nothing at this address">
        <p>It may have been mistyped, or it is from another Parley.</p>
        <Link href="/" className={buttonClass('primary')}>
          To the inbox
        </Link>
      </Empty>
    </>
  );
}
