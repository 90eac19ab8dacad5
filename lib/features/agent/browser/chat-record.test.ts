import { describe, expect, it } from "vitest";
import { mergeRecord, recordIdOf } from "@/lib/features/agent/browser/chat-record";

const id = (n: number) => n.toString(16).padStart(24, "0");
type Message = { id: string; metadata?: { state?: string; isStored?: boolean }; text?: string };
const stored = (n: number, state = "done"): Message => ({ id: id(n), metadata: { state, isStored: true } });

describe("mergeRecord", () => {
  it("returns the stored messages if none are shown, or shown ones have no server IDs", () => {
    expect(mergeRecord([], [stored(1), stored(2)])).toEqual([stored(1), stored(2)]);
    expect(mergeRecord([{ id: "sent" }], [stored(1), stored(2)])).toEqual([stored(1), stored(2)]);
  });

  it("gives a sent message the server's ID, by the answer after it", () => {
    expect(mergeRecord([{ id: "sent" }, { id: id(2) }], [stored(1), stored(2)])).toEqual([stored(1), stored(2)]);
  });

  it("keeps older messages beyond the loaded part, each once", () => {
    const shown = [stored(1), stored(2), stored(3), stored(4), { id: "sent" }, { id: id(6) }];
    const newest = [stored(3), stored(4), stored(5), stored(6)];
    expect(mergeRecord(shown, newest).map((each) => each.id)).toEqual([1, 2, 3, 4, 5, 6].map(id));
  });

  it("drops messages that were deleted", () => {
    const shown = [stored(1), stored(2), { id: "sent" }, { id: id(8) }];
    expect(mergeRecord(shown, [stored(7), stored(8)]).map((each) => each.id)).toEqual([1, 2, 7, 8].map(id));
    expect(mergeRecord([stored(1), stored(2), stored(3), stored(4)], [stored(1), stored(2)])).toHaveLength(2);
  });

  it("keeps the local end of an answer while the server still streams it", () => {
    const own: Message = { id: id(2), metadata: { state: "stopped" }, text: "as far as it came" };
    expect(mergeRecord([{ id: "sent" }, own], [stored(1), stored(2, "running")])).toEqual([stored(1), own]);
  });

  it("returns the stored text of an answer that grows elsewhere", () => {
    const grown = { ...stored(2, "running"), text: "more of it" };
    expect(mergeRecord([stored(1), stored(2, "running")], [stored(1), grown])).toEqual([stored(1), grown]);
  });
});

describe("recordIdOf", () => {
  it("is the message's ID, its answer's, or null", () => {
    expect(recordIdOf([stored(1), stored(2)], 0)).toBe(id(1));
    expect(recordIdOf([{ id: "sent" }, { id: id(2) }], 0)).toBe(id(2));
    expect(recordIdOf([{ id: "sent" }, { id: "made here" }], 0)).toBeNull();
    expect(recordIdOf([{ id: id(1) }], 0)).toBeNull();
    expect(recordIdOf([], 0)).toBeNull();
  });
});
