export function CancelDialog(_props: {
  id: string;
  title: string;
  onClose: () => void;
  onCancelled: () => void;
}) {
  return null;
}
