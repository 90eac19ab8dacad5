"use client";

import { useQuery } from "@tanstack/react-query";
import { FileCode2, TextSearch as Sign } from "lucide-react";
import { useMemo, useState } from "react";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { ENDED_EARLY } from "@/components/palette/palette-choice";
import { afterClose, SearchDialog, type SearchGroup } from "@/components/palette/search-dialog";
import { LoadFailure } from "@/components/ui/load-failure";
import { useOutage } from "@/components/ui/use-browser";
import { useLater } from "@/components/ui/use-later";
import { type FoundLine, findLines } from "@/lib/base/values/find-lines";
import { consoleApi } from "@/lib/features/consoles/browser/client";
import { formatCountOf } from "@/lib/platform/browser/format";

/** Number of characters from which the server is queried, and the pause in typing before it is. */
const SEARCH_FROM = 2;
const SEARCH_AFTER_MS = 200;
/**
 * Maximum number of matching lines of an unsaved console, which is searched here; the server shows as many of a saved
 * one.
 */
const LINES_MAX = 5;

type Found = { id: string; name: string; place: string; lines: FoundLine[]; lineCount: number };
type Choice = { found: Found; line: FoundLine | null };

/** Searches the texts of all consoles that the user may see, and opens one at the line. */
export function TextSearch({ onClose }: { onClose: () => void }) {
  const { workspace, editors } = useWorkspace();
  const { open } = useConsoleActions();
  const workbench = useWorkbench();
  const outage = useOutage();
  const [text, setText] = useState("");
  const search = text.trim();
  const asked = useLater(search, SEARCH_AFTER_MS);
  const isAsked = asked.length >= SEARCH_FROM;
  const hits = useQuery({
    queryKey: ["console-search", workspace.id, asked],
    queryFn: ({ signal }) => consoleApi.search(workspace.id, asked, signal),
    enabled: isAsked,
  });
  const unsaved = workbench?.consoles;
  const found = useMemo((): Found[] => {
    if (!isAsked) return [];
    const here = (unsaved ?? []).flatMap(({ id, name, content }): Found[] => {
      const { lines, count } = findLines(content, asked, LINES_MAX);
      return count === 0 ? [] : [{ id, name, place: "Unsaved", lines, lineCount: count }];
    });
    const saved = (hits.data?.hits ?? []).map(({ id, name, path, access, lines, lineCount }): Found => {
      const folders = path.split("/").slice(0, -1).join(" / ");
      return { id, name, place: folders || (access === "private" ? "Private" : "Workspace"), lines, lineCount };
    });
    return [...here, ...saved];
  }, [unsaved, hits.data, asked, isAsked]);
  const groups = useMemo(
    () =>
      found.map((each): SearchGroup<Choice> => {
        const lines = each.lines.length === 0 ? [null] : each.lines;
        return {
          id: each.id,
          label: <ConsoleName found={each} />,
          items: lines.map((line) => ({ found: each, line })),
        };
      }),
    [found],
  );
  const isSearching = search.length >= SEARCH_FROM && (search !== asked || hits.isFetching);

  const choose = ({ found: { id }, line }: Choice) => {
    if (line) editors.askFor(id, line);
    onClose();
    afterClose(() => open(id));
  };

  return (
    <SearchDialog
      title="Search in consoles"
      listLabel={`Matches in ${workspace.name}`}
      icon={<Sign className="t3" />}
      placeholder="Search the contents of all consoles"
      className="text-search"
      maxLength={200}
      text={text}
      onText={setText}
      groups={groups}
      toItemId={({ found: { id }, line }) => `${id}-${line?.line ?? 0}`}
      drawItem={({ line }) => <Line line={line} search={asked} />}
      onChoose={choose}
      onEnter={(active, { isRepeat }) => {
        if (active && !isSearching && !isRepeat) choose(active);
      }}
      foot={() => (
        <>
          <span>
            <kbd>↵</kbd> open at line
          </span>
          <span className="grow" />
          <span className="t3 trunc">Top 50 consoles</span>
        </>
      )}
      onClose={onClose}
    >
      {hits.error && outage === null && <LoadFailure error={hits.error} onRetry={() => hits.refetch()} />}
      {found.length === 0 && !hits.error && (
        <p className="palette-none" role="status">
          {isSearching
            ? "Searching"
            : search.length < SEARCH_FROM
              ? "Type at least two letters. Searches the saved version of each console."
              : `No consoles contain "${search}".`}
        </p>
      )}
      {hits.data?.isIncomplete && <p className="palette-none">{ENDED_EARLY}</p>}
      {outage !== null && <p className="palette-none">{outage}. Only unsaved consoles are searched.</p>}
    </SearchDialog>
  );
}

/** A console's name above its matching lines. */
function ConsoleName({ found: { name, place, lines, lineCount } }: { found: Found }) {
  return (
    <>
      <FileCode2 className="s" />
      <span className="b5 trunc">{name}</span>
      <span className="t3 trunc">{place}</span>
      <span className="grow" />
      {lineCount > lines.length && <span className="t3">{formatCountOf(lineCount - lines.length, "more line")}</span>}
    </>
  );
}

function Line({ line, search }: { line: FoundLine | null; search: string }) {
  return (
    <>
      <span className="text-search-line num t3">{line?.line}</span>
      {line ? (
        <code className="trunc grow">
          <Marked text={line.text} search={search} />
        </code>
      ) : (
        <span className="t2 trunc grow">In the name</span>
      )}
    </>
  );
}

/** Text with its matches marked: the whole phrase, or each word if the phrase does not occur. */
function Marked({ text, search }: { text: string; search: string }) {
  const folded = text.toLowerCase();
  const phrase = search.toLowerCase();
  const words = folded.includes(phrase) ? [phrase] : phrase.split(/\s+/);
  const pieces: { text: string; isMark: boolean; at: number }[] = [];
  let from = 0;
  while (from < text.length) {
    const next = words
      .map((word) => ({ word, at: word === "" ? -1 : folded.indexOf(word, from) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)[0];
    if (!next) break;
    if (next.at > from) pieces.push({ text: text.slice(from, next.at), isMark: false, at: from });
    pieces.push({ text: text.slice(next.at, next.at + next.word.length), isMark: true, at: next.at });
    from = next.at + next.word.length;
  }
  pieces.push({ text: text.slice(from), isMark: false, at: from });
  return pieces.map((piece) => (piece.isMark ? <mark key={piece.at}>{piece.text}</mark> : piece.text));
}
