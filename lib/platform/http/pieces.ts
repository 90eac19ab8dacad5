/** Returns a stream of a complete answer, one piece per pull. */
export function streamOfPieces(pieces: readonly Buffer[]): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const piece = pieces[next];
      next += 1;
      if (piece) controller.enqueue(piece);
      else controller.close();
    },
  });
}
