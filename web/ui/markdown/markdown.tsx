import { gfmAutolinkLiteralFromMarkdown } from 'mdast-util-gfm-autolink-literal';
import { gfmStrikethroughFromMarkdown } from 'mdast-util-gfm-strikethrough';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTaskListItemFromMarkdown } from 'mdast-util-gfm-task-list-item';
import { gfmAutolinkLiteral } from 'micromark-extension-gfm-autolink-literal';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item';
import { memo } from 'react';
import type { Components } from 'react-markdown';
import ReactMarkdown from 'react-markdown';
import { joinClassNames } from '../../lib/class-names';
import { ErrorBoundary } from '../errors';
import css from './markdown.module.css';
import { isTooComplexToParse, sanitizeLinkUrl, splitMarkdown } from './untrusted-markdown';

const PLUGINS = [remarkGfmSubset];

/**
 * Renders untrusted Markdown as elements, never as HTML: tags are shown as typed. Links lead only to web and mail
 * addresses. Images become links, because loading one would tell its owner who reads the text.
 */
export const Markdown = memo(function Markdown({ text, className }: { text: string; className?: string }) {
  return (
    <div className={joinClassNames(css.markdown, className)} dir="auto">
      {splitMarkdown(text).map((section, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: sections are only appended
        <MarkdownSection key={index} text={section} />
      ))}
    </div>
  );
});

const MarkdownSection = memo(function MarkdownSection({ text }: { text: string }) {
  const plainText = <p className={css.plainText}>{text}</p>;
  if (isTooComplexToParse(text)) return plainText;
  return (
    <ErrorBoundary resetKey={text} fallback={plainText}>
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} urlTransform={sanitizeLinkUrl}>
        {text}
      </ReactMarkdown>
    </ErrorBoundary>
  );
});

function ExternalAnchor({ href, children }: { href?: string | undefined; children?: React.ReactNode }) {
  if (href === undefined) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** Headings rank below those of the page. Scrollable blocks can be focused with the keyboard. */
const COMPONENTS: Components = {
  a: ({ href, children }) => <ExternalAnchor href={href}>{children}</ExternalAnchor>,
  img: ({ src, alt }) => (
    <ExternalAnchor href={typeof src === 'string' ? src : undefined}>Image: {alt || 'no name'}</ExternalAnchor>
  ),
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h5: ({ children }) => <h4>{children}</h4>,
  h6: ({ children }) => <h4>{children}</h4>,
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className={css.tableScroller} tabIndex={0} aria-label="Table">
      <table>{children}</table>
    </section>
  ),
  input: ({ checked }) => (
    <span role="img" aria-label={checked ? 'done' : 'to do'}>
      {checked ? '☑' : '☐'}
    </span>
  ),
};

interface RemarkExtensions {
  micromarkExtensions?: unknown[];
  fromMarkdownExtensions?: unknown[];
}

/**
 * Tables, task lists, strikethrough and bare URLs, as models write them. `remark-gfm` also includes footnotes and the
 * code to write Markdown, which would add a twentieth to the bundle without being used.
 */
function remarkGfmSubset(this: { data(): object }): void {
  const data: RemarkExtensions = this.data();
  data.micromarkExtensions = [gfmTable(), gfmTaskListItem(), gfmStrikethrough(), gfmAutolinkLiteral()];
  data.fromMarkdownExtensions = [
    gfmTableFromMarkdown(),
    gfmTaskListItemFromMarkdown(),
    gfmStrikethroughFromMarkdown(),
    gfmAutolinkLiteralFromMarkdown(),
  ];
}
