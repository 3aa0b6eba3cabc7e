import { memo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import { classes } from './classes';
import { Fallback } from './fallback';
import { gfm } from './gfm';
import css from './markdown.module.css';
import { isUnreasonable, partsOf } from './parts';
import { safeUrl } from './safe-url';

const PLUGINS = [gfm];

/**
 * Markdown that a model or a stranger wrote. It becomes elements, never HTML: tags are shown as they were typed. Links go
 * to the web or to mail and nowhere else; an image is a link to it, since to load it would tell its owner who reads.
 */
export const Markdown = memo(function Markdown({ text, className }: { text: string; className?: string }) {
  return (
    <div className={classes(css.markdown, className)} dir="auto">
      {partsOf(text).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added
        <Part key={index} text={part} />
      ))}
    </div>
  );
});

const Part = memo(function Part({ text }: { text: string }) {
  const asTyped = <p className={css.typed}>{text}</p>;
  if (isUnreasonable(text)) return asTyped;
  return (
    <Fallback of={text} fallback={asTyped}>
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} urlTransform={safeUrl}>
        {text}
      </ReactMarkdown>
    </Fallback>
  );
});

function Away({ href, children }: { href?: string | undefined; children?: React.ReactNode }) {
  if (href === undefined) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** Headings below those of the page; blocks that scroll can be reached with the keyboard. */
const COMPONENTS: Components = {
  a: ({ href, children }) => <Away href={href}>{children}</Away>,
  img: ({ src, alt }) => (
    <Away href={typeof src === 'string' ? src : undefined}>Image: {alt || 'no name'}</Away>
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
    <section className={css.wide} tabIndex={0} aria-label="Table">
      <table>{children}</table>
    </section>
  ),
  input: ({ checked }) => (
    <span role="img" aria-label={checked ? 'done' : 'to do'}>
      {checked ? '☑' : '☐'}
    </span>
  ),
};
