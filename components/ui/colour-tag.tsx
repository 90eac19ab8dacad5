/** A tag in a list or a form; its colour is one of the charts' (`--viz-*`). */
export type TagLook = { name: string; colour: string };

/** A connection's tag: its colour with its name, never the colour alone. */
export function ColourTag({ tag, className }: { tag: TagLook; className?: string }) {
  return (
    <span className={className ? `ctag ${className}` : "ctag"} title={tag.name}>
      <TagDot colour={tag.colour} />
      <span className="trunc">{tag.name}</span>
    </span>
  );
}

/** Coloured dot beside a name that says the same. */
export function TagDot({ colour }: { colour: string }) {
  return <i className="tag-dot" data-colour={colour} aria-hidden="true" />;
}
