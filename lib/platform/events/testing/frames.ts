export type Frame = { id?: string; event?: string; data?: string };

/** Reads the frames of a stream of events one by one, without those that only say how to come back. */
export function readFrames(response: Response): {
  next: () => Promise<Frame | null>;
  take: (count: number) => Promise<(Frame | null)[]>;
} {
  const reader = (response.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const next = async (): Promise<Frame | null> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const lines = text.slice(0, end).split("\n");
        text = text.slice(end + 2);
        const frame: Frame = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2)));
        if ("id" in frame || "event" in frame) return frame;
        continue;
      }
      const { value, done } = await reader.read();
      if (done) return null;
      text += value;
    }
  };
  const take = async (count: number) => {
    const frames: (Frame | null)[] = [];
    while (frames.length < count) frames.push(await next());
    return frames;
  };
  return { next, take };
}
