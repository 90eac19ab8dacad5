import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { LanguageModelMiddleware } from "ai";

/**
 * Merges simultaneous output of a model into one piece. Providers often send a dozen words at once, and each piece
 * passes through all streams of the loop, to the reader and into the answer (F12).
 */
export const mergingModel: LanguageModelMiddleware = {
  specificationVersion: "v4",
  wrapStream: async ({ doStream }) => {
    const result = await doStream();
    return { ...result, stream: result.stream.pipeThrough(mergeDeltas()) };
  },
};

type Delta = Extract<LanguageModelV4StreamPart, { delta: string }>;

/**
 * Returns the same parts in the same order. Consecutive deltas of one text within one tick of the event loop are
 * merged.
 */
export function mergeDeltas(): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  let held: Delta | null = null;
  const giveHeld = (controller: TransformStreamDefaultController<LanguageModelV4StreamPart>) => {
    const part = held;
    held = null;
    if (part) controller.enqueue(part);
  };
  return new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
    transform(part, controller) {
      // A provider's metadata of a piece belongs to that piece.
      if (held && "delta" in part && part.type === held.type && part.id === held.id && !part.providerMetadata) {
        held = { ...held, delta: held.delta + part.delta };
        return;
      }
      giveHeld(controller);
      if (!("delta" in part)) return controller.enqueue(part);
      held = part;
      setImmediate(() => {
        try {
          giveHeld(controller);
        } catch {
          // Its reader disconnected, or the model failed.
        }
      });
    },
    flush: giveHeld,
  });
}
