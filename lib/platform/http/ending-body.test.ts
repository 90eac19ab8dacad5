// @module-tag heavy
import { describe, expect, it, vi } from "vitest";
import { endingWith } from "./ending-body";

function bodyOf(pieces: string[], { isOpen = false, onCancel = () => {} } = {}): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
      else if (!isOpen) controller.close();
      else return new Promise(() => {});
      return undefined;
    },
    cancel: onCancel,
  });
}

describe("C27 a body that ends with a signal", () => {
  it("is read to its end and reports the end once", async () => {
    const over = vi.fn();
    const response = endingWith(new Response(bodyOf(["a", "b"])), new AbortController().signal, over);
    expect(await response.text()).toBe("ab");
    expect(over).toHaveBeenCalledTimes(1);
  });

  it("stops when the signal aborts, and cancels its source", async () => {
    const [over, onCancel] = [vi.fn(), vi.fn()];
    const stop = new AbortController();
    const response = endingWith(new Response(bodyOf(["a"], { isOpen: true, onCancel })), stop.signal, over);
    const text = response.text();
    stop.abort(new Error("lost"));
    await expect(text).rejects.toThrow("lost");
    expect(over).toHaveBeenCalledTimes(1);
    expect(onCancel).toHaveBeenCalledTimes(1);
  });

  it("stops if the signal was already aborted", async () => {
    const response = endingWith(
      new Response(bodyOf([], { isOpen: true })),
      AbortSignal.abort(new Error("lost")),
      () => {},
    );
    await expect(response.text()).rejects.toThrow("lost");
  });

  it("keeps the last chunk of a body that ends by itself", async () => {
    const stop = new AbortController();
    let end = () => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        end = () => {
          controller.enqueue(new TextEncoder().encode("goodbye"));
          controller.close();
        };
      },
    });
    const text = endingWith(new Response(body), stop.signal, () => {}).text();
    stop.signal.addEventListener("abort", () => end());
    stop.abort();
    expect(await text).toBe("goodbye");
  });

  it("ends when its reader leaves", async () => {
    const [over, onCancel] = [vi.fn(), vi.fn()];
    const body = bodyOf(["a"], { isOpen: true, onCancel });
    const response = endingWith(new Response(body), new AbortController().signal, over);
    await response.body?.cancel();
    expect([over.mock.calls.length, onCancel.mock.calls.length]).toEqual([1, 1]);
  });

  it("fails as its source fails", async () => {
    const over = vi.fn();
    const body = new ReadableStream({
      pull() {
        throw new Error("broken");
      },
    });
    await expect(endingWith(new Response(body), new AbortController().signal, over).text()).rejects.toThrow("broken");
    expect(over).toHaveBeenCalledTimes(1);
  });

  it.each([204, 302])("without content ends at once, with headers that can be changed: %i", (status) => {
    const over = vi.fn();
    const given = status === 302 ? Response.redirect("https://a.test") : new Response(null, { status });
    const response = endingWith(given, new AbortController().signal, over);
    response.headers.set("x-a", "b");
    expect([over.mock.calls.length, response.status]).toEqual([1, status]);
  });

  it("reads no more than its reader requests", async () => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(new Uint8Array(1));
        },
      },
      { highWaterMark: 0 },
    );
    const reader = endingWith(new Response(body), new AbortController().signal, () => {}).body?.getReader();
    await reader?.read();
    expect(pulled).toBe(1);
  });
});
