import { CODE } from './code';
import { COLORS } from './colors';
import { CONTENT } from './content';
import { LAYOUT } from './layout';
import { NAVIGATION } from './navigation';
import { TABLES } from './tables';

/** The one stylesheet of the page. Its hash is what the page's policy lets in. */
export const STYLE = [COLORS, LAYOUT, NAVIGATION, CONTENT, TABLES, CODE].join('');
