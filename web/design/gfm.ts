import { gfmAutolinkLiteralFromMarkdown } from 'mdast-util-gfm-autolink-literal';
import { gfmStrikethroughFromMarkdown } from 'mdast-util-gfm-strikethrough';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTaskListItemFromMarkdown } from 'mdast-util-gfm-task-list-item';
import { gfmAutolinkLiteral } from 'micromark-extension-gfm-autolink-literal';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item';

interface Extensions {
  micromarkExtensions?: unknown[];
  fromMarkdownExtensions?: unknown[];
}

/**
 * Tables, to-do lists, struck-out text and bare addresses, as models write them. `remark-gfm` has these too, and with
 * them footnotes and all it takes to write Markdown: a twentieth of the bundle for nothing.
 */
export function gfm(this: { data(): object }): void {
  const data: Extensions = this.data();
  data.micromarkExtensions = [gfmTable(), gfmTaskListItem(), gfmStrikethrough(), gfmAutolinkLiteral()];
  data.fromMarkdownExtensions = [
    gfmTableFromMarkdown(),
    gfmTaskListItemFromMarkdown(),
    gfmStrikethroughFromMarkdown(),
    gfmAutolinkLiteralFromMarkdown(),
  ];
}
