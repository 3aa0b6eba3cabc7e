import type { Style } from '#cli/text/style';

/** What there is to draw on. */
export interface View {
  width: number;
  height: number;
  style: Style;
  now: number;
}

/** Part of it. */
export interface Area {
  width: number;
  /** In lines. */
  room: number;
  style: Style;
}

export const HERE = '❯ ';
export const ELSEWHERE = '  ';
