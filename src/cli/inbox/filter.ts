/** Of whose questions. */
export interface Filter {
  agent?: string;
  conversation?: string;
}
