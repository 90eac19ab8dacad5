"use client";

import { lexer, type Token, type Tokens } from "marked";
import Link from "next/link";
import { useParams } from "next/navigation";
import { Fragment, memo, type ReactNode } from "react";
import remend from "remend";
import { SqlCode } from "@/components/editor/sql-code";
import { CopyButton } from "@/components/ui/copy-button";
import "./markdown.css";

/** Texts with more characters than this are shown as plain text: parsing them again for each chunk takes too long. */
const CHARS_MAX = 200_000;
/** Maximum nesting of lists; deeper ones are shown as text. */
const DEPTH_MAX = 20;

type MarkdownProps = {
  text: string;
  /** More text is coming: unclosed marks are rendered as closed, so that nothing jumps when they are. */
  isGrowing?: boolean;
  /** Shown below a block of SQL. */
  sqlActions?: (sql: string) => ReactNode;
};

/**
 * Renders text of a model or of another person. Only the elements listed here are rendered, all else is text: HTML
 * never reaches the browser, images are never loaded, and a link shows its target (T65).
 */
export const Markdown = memo(function Markdown({ text, isGrowing = false, sqlActions }: MarkdownProps) {
  const tokens = read(isGrowing ? remend(text) : text);
  if (tokens === null) return <p className="md plain">{text}</p>;
  return (
    <div className="md">
      <Blocks tokens={tokens} depth={0} sqlActions={sqlActions} />
    </div>
  );
});

function read(text: string): Token[] | null {
  if (text.length > CHARS_MAX) return null;
  try {
    return lexer(text, { gfm: true });
  } catch {
    return null;
  }
}

type PartProps = { tokens: Token[]; depth: number; sqlActions?: MarkdownProps["sqlActions"] };

function Blocks({ tokens, depth, sqlActions }: PartProps) {
  if (depth > DEPTH_MAX) return <p>{tokens.map(({ raw }) => raw).join("")}</p>;
  return tokens.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a text grows at its end
    <Fragment key={at}>
      <Block token={token} depth={depth} sqlActions={sqlActions} />
    </Fragment>
  ));
}

function Block({ token, depth, sqlActions }: { token: Token } & Omit<PartProps, "tokens">): ReactNode {
  const inline = (tokens: Token[] | undefined, raw: string) => <Inline tokens={tokens} raw={raw} depth={depth + 1} />;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      // Below the panel's heading, and not headings of the page.
      return <p className="md-head">{inline(token.tokens, token.text)}</p>;
    case "paragraph":
      return <p>{inline(token.tokens, token.text)}</p>;
    case "text":
      return inline(token.tokens, token.text);
    case "hr":
      return <hr />;
    case "blockquote":
      return (
        <blockquote>
          <Blocks tokens={token.tokens ?? []} depth={depth + 1} sqlActions={sqlActions} />
        </blockquote>
      );
    case "code":
      return <CodeBlock text={token.text} language={token.lang ?? ""} sqlActions={sqlActions} />;
    case "list": {
      const { ordered, start, items } = token as Tokens.List;
      const shown = items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text grows at its end
        <li key={at}>
          <Blocks tokens={item.tokens} depth={depth + 1} sqlActions={sqlActions} />
        </li>
      ));
      return ordered ? <ol start={typeof start === "number" ? start : undefined}>{shown}</ol> : <ul>{shown}</ul>;
    }
    case "table": {
      const { header, rows, align } = token as Tokens.Table;
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard
        <section className="md-table" aria-label="Table" tabIndex={0}>
          <table className="mini">
            <thead>
              <tr>
                {header.map((cell, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
                  <th key={at} className={align[at] === "right" ? "r" : undefined}>
                    {inline(cell.tokens, cell.text)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows stay where they are
                <tr key={at}>
                  {row.map((cell, column) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
                    <td key={column} className={align[column] === "right" ? "r" : undefined}>
                      {inline(cell.tokens, cell.text)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      );
    }
    default:
      return <p>{token.raw}</p>;
  }
}

function Inline({ tokens, raw, depth }: { tokens: Token[] | undefined; raw: string; depth: number }) {
  if (!tokens || depth > DEPTH_MAX) return decoded(raw);
  return tokens.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a text grows at its end
    <Fragment key={at}>{toInline(token, depth)}</Fragment>
  ));
}

function toInline(token: Token, depth: number): ReactNode {
  const inner = () => (
    <Inline tokens={"tokens" in token ? token.tokens : undefined} raw={token.raw} depth={depth + 1} />
  );
  switch (token.type) {
    case "text":
      return "tokens" in token && token.tokens ? inner() : decoded(token.text);
    case "escape":
      return token.text;
    case "strong":
      return <strong>{inner()}</strong>;
    case "em":
      return <em>{inner()}</em>;
    case "del":
      return <del>{inner()}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "checkbox":
      return token.checked ? "[x] " : "[ ] ";
    case "link":
      return <SafeLink href={token.href}>{inner()}</SafeLink>;
    case "image":
      return <span className="t3">[image{token.text ? `: ${token.text}` : ""}, not loaded]</span>;
    default:
      return token.raw;
  }
}

/**
 * A link in a model's text: to the web, with its host beside it and without a referrer, or to a question in the builder
 * of the workspace, which only reads.
 */
function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  const { slug } = useParams();
  if (QUESTION.test(href) && typeof slug === "string") return <Link href={`/w/${slug}${href}`}>{children}</Link>;
  const url = toWebUrl(href);
  if (url === null) return children;
  return (
    <>
      <a href={url.href} target="_blank" rel="noopener noreferrer nofollow" referrerPolicy="no-referrer">
        {children}
      </a>{" "}
      <span className="md-host">({url.host})</span>
    </>
  );
}

/** The address of a question of a connection, without its workspace. */
const QUESTION = /^\/questions\/[0-9a-f]{24}#/;

function toWebUrl(href: string): URL | null {
  try {
    const url = new URL(href);
    return url.protocol === "https:" || url.protocol === "http:" ? url : null;
  } catch {
    return null;
  }
}

function CodeBlock({
  text,
  language,
  sqlActions,
}: { text: string; language: string } & Pick<MarkdownProps, "sqlActions">) {
  const isSql = /^(sql|postgres|postgresql|mysql|sqlite|duckdb|clickhouse|trino)\b/i.test(language);
  return (
    <div className="md-code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard */}
      <pre className="sqls" tabIndex={0}>
        <code>{isSql ? <SqlCode text={text} dialect="standard" /> : text}</code>
      </pre>
      <div className="row md-code-acts">
        {isSql && sqlActions?.(text)}
        <CopyButton text={text} name="Copy code" className="btn ghost sm" />
      </div>
    </div>
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  nbsp: "\u00a0",
};

function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (all, name: string) => ENTITIES[name] ?? all);
}
