import type { ConversationStatus } from '../../src/contract/conversation';
import { Pill } from '../design/pill';
export function StatusPill({ status }: { status: ConversationStatus }) {
  return <Pill>{status}</Pill>;
}
