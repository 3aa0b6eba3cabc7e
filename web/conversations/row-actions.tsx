import { Ban } from 'lucide-react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import type { Conversation } from '#contract/conversation';
import { CancelDialog } from '../conversation/cancel-dialog';
import { ExportButton } from '../conversation/export-button';
import { isFinished } from '../conversation/story';
import { TemporalLink } from '../conversation/temporal-link';
import { Button } from '../design/button';
import { useMay } from '../session/session';
import css from './row.module.css';

interface Props {
  conversation: Conversation;
  onCancelled: () => void;
}

export function RowActions({ conversation: { id, title, status, links }, onCancelled }: Props) {
  const [isCancelling, setCancelling] = useState(false);
  const mayCancel = useMay('conversations:write') && !isFinished({ status });
  return (
    <div className={css.actions}>
      {mayCancel && (
        <Button look="quiet" title="Cancel this conversation" onClick={() => setCancelling(true)}>
          <Ban size={18} aria-hidden="true" />
          <span className="unseen">Cancel …</span>
        </Button>
      )}
      <ExportButton id={id} isBare />
      <TemporalLink links={links} wordClass="unseen" />
      {isCancelling && (
        <CancelDialog
          id={id}
          title={title}
          onClose={() => setCancelling(false)}
          onCancelled={() => {
            // Closed first: while it is open nothing behind it takes the focus.
            flushSync(() => setCancelling(false));
            onCancelled();
          }}
        />
      )}
    </div>
  );
}
