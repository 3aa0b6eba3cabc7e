import { Download, ExternalLink } from 'lucide-react';
import type { Conversation, ConversationStatus } from '#contract/conversation';
import { STATUS_LABELS } from '#presentation/labels';
import { apiClient } from '../api/client';
import { useSingleFlight } from '../lib/use-single-flight';
import { Button, buttonClassName } from '../ui/button';
import { Pill, type PillTone } from '../ui/pill';
import { showToast } from '../ui/toast';

const STATUS_TONES: Record<ConversationStatus, PillTone> = {
  waiting_for_input: 'warn',
  running: 'busy',
  completed: 'good',
  failed: 'danger',
  cancelled: 'plain',
};

export function StatusPill({ status }: { status: ConversationStatus }) {
  return <Pill tone={STATUS_TONES[status]}>{STATUS_LABELS[status]}</Pill>;
}

interface ExportButtonProps {
  id: string;
  /** For places with little room. */
  isIconOnly?: boolean;
}

/** Saves the complete conversation as one JSON file. */
export function ExportButton({ id, isIconOnly = false }: ExportButtonProps) {
  const { isBusy, run } = useSingleFlight();
  const save = async () => {
    try {
      downloadFile(`${id}.json`, JSON.stringify(await apiClient.export(id), null, 2));
      showToast(`Saved as ${id}.json`);
    } catch (error) {
      showToast(`Export failed. ${(error as Error).message}`);
    }
  };
  return (
    <Button
      variant={isIconOnly ? 'quiet' : 'plain'}
      isBusy={isBusy}
      onClick={() => void run(save)}
      title="Export as JSON"
    >
      {!isBusy && <Download size={18} aria-hidden="true" />}
      <span className={isIconOnly ? 'visually-hidden' : undefined}>Export</span>
    </Button>
  );
}

/** Some browsers start reading the URL a little later. */
const REVOKE_URL_AFTER_MS = 60_000;

function downloadFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_URL_AFTER_MS);
}

interface TemporalLinkProps {
  links: Conversation['links'];
  /** Lets the caller hide the label when space is short. */
  labelClassName?: string | undefined;
}

/** Links to the workflow in Temporal's UI. */
export function TemporalLink({ links, labelClassName }: TemporalLinkProps) {
  return (
    <a
      className={buttonClassName('quiet')}
      href={links.temporal}
      target="_blank"
      rel="noopener noreferrer"
      title="Open in Temporal"
    >
      <span className={labelClassName}>Temporal</span>
      <ExternalLink size={16} aria-hidden="true" />
      <span className="visually-hidden"> UI (new tab)</span>
    </a>
  );
}
