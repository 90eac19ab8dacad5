/** A tag as a list or a form holds it; its colour is one of the charts' (`--viz-*`). */
export type TagLook = { name: string; colour: string };

/** The tag of a connection: its colour beside its word, never the colour alone. */
export function ColourTag({ tag, className }: { tag: TagLook; className?: string }) {
  return (
    <span className={className ? `ctag ${className}` : "ctag"} title={tag.name}>
      <TagDot colour={tag.colour} />
      <span className="trunc">{tag.name}</span>
    </span>
  );
}

/** Beside the word that says the same. */
export function TagDot({ colour }: { colour: string }) {
  return <i className="tag-dot" data-colour={colour} aria-hidden="true" />;
}
