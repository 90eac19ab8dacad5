import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { LanguageModelMiddleware } from "ai";

/**
 * Gives what a model says at one moment as one piece: providers that are read seldom say a dozen words at once, and each
 * piece goes through all of the loop's streams, to the reader and into the answer (F12).
 */
export const mergingModel: LanguageModelMiddleware = {
  specificationVersion: "v4",
  wrapStream: async ({ doStream }) => {
    const result = await doStream();
    return { ...result, stream: result.stream.pipeThrough(mergeDeltas()) };
  },
};

type Delta = Extract<LanguageModelV4StreamPart, { delta: string }>;

/** The same parts in the same order; deltas of one text that follow each other within a turn of the event loop are one. */
export function mergeDeltas(): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  let held: Delta | null = null;
  const giveHeld = (controller: TransformStreamDefaultController<LanguageModelV4StreamPart>) => {
    const part = held;
    held = null;
    if (part) controller.enqueue(part);
  };
  return new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
    transform(part, controller) {
      // What a provider notes beside a piece belongs to that piece.
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
          // Its reader has left, or the model has failed meanwhile.
        }
      });
    },
    flush: giveHeld,
  });
}
