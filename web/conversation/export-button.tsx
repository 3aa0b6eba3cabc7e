import { Download } from 'lucide-react';
import { Button } from '../design/button';
import { say } from '../design/toast';
import { useOnce } from '../design/use-once';
import { parley } from '../parley';

interface Props {
  id: string;
  /** Only the icon, where there is little room. */
  isBare?: boolean;
}

/** Saves everything there is of a conversation as one JSON file. */
export function ExportButton({ id, isBare = false }: Props) {
  const { isBusy, once } = useOnce();
  const save = async () => {
    try {
      download(`${id}.json`, JSON.stringify(await parley.export(id), null, 2));
      say(`Saved as ${id}.json.`);
    } catch (error) {
      say(`It could not be exported. ${(error as Error).message}`);
    }
  };
  return (
    <Button
      look={isBare ? 'quiet' : 'plain'}
      isBusy={isBusy}
      onClick={() => void once(save)}
      title="Export as a JSON file"
    >
      {!isBusy && <Download size={18} aria-hidden="true" />}
      <span className={isBare ? 'unseen' : undefined}>Export</span>
    </Button>
  );
}

/** Browsers begin to read the address at once, some of them a little later. */
const READ_WITHIN_MS = 60_000;

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), READ_WITHIN_MS);
}
