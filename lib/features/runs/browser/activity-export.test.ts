import { describe, expect, it } from "vitest";
import type { Activity } from "@/lib/features/runs/browser/activity";
import { toActivityHead, toActivityLine } from "@/lib/features/runs/browser/activity-export";

const run = (name: string, error: string | null): Activity =>
  ({
    kind: "flow",
    id: "r1",
    at: "2026-11-22T10:00:00.000Z",
    run: { status: "failure", resourceName: name, triggeredBy: "u1", durationMs: 1200, rowCount: null, error },
  }) as unknown as Activity;
const names = (id: string) => (id === "u1" ? "Ines, Okafor" : undefined);

describe("an export of the activity", () => {
  it("has a quoted CSV line per item, without spreadsheet formulas (T60)", () => {
    expect(toActivityHead("csv")).toBe("id,kind,status,name,startedBy,at,durationMs,rows,error\r\n");
    expect(toActivityLine("csv", run("=1+1", 'a "b"\nc'), names)).toBe(
      `r1,flow,failure,"'=1+1","Ines, Okafor",2026-11-22T10:00:00.000Z,1200,,"a ""b""\nc"\r\n`,
    );
  });

  it("has an unchanged NDJSON object per item", () => {
    expect(toActivityHead("ndjson")).toBe("");
    expect(JSON.parse(toActivityLine("ndjson", run("=1+1", null), () => undefined))).toEqual({
      id: "r1",
      kind: "flow",
      status: "failure",
      name: "=1+1",
      startedBy: "u1",
      at: "2026-11-22T10:00:00.000Z",
      durationMs: 1200,
      rows: null,
      error: null,
    });
  });
});
