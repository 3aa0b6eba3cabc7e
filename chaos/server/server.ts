/** One process of a Temporal server that faults can be done to. */
export interface Part {
  name: 'temporal' | 'postgres';
  pid(): number;
  /** Whether the process is there (a stopped one is). */
  isUp(): boolean;
  /** Starts it again after it was killed; resolves when it takes requests. */
  start(): Promise<void>;
}
export interface TemporalServer {
  address: string;
  parts: Part[];
  /** Ends everything and removes its folder. */
  stop(): Promise<void>;
}
