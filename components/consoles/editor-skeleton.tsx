const LINE_WIDTHS = [48, 34, 52, 26, 38, 22, 30];

/** Placeholder of an editor that is loading. */
export function EditorSkeleton() {
  return (
    <div className="editor-skeleton" aria-busy="true">
      {LINE_WIDTHS.map((width) => (
        <i key={width} className="bone" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
