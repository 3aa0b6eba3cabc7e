import { COLORS } from './colors';
import { FORM } from './form';
import { LAYOUT } from './layout';

export const STYLE = COLORS + LAYOUT + FORM;
