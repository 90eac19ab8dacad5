import { expect, it } from "vitest";
import { yieldToEventLoop } from "./yield-to-event-loop";

it("runs one slice per turn of the event loop for twenty long jobs (F15)", async () => {
  let slices = 0;
  const perTurn: number[] = [];
  let before = 0;
  let isOver = false;
  const look = () => {
    perTurn.push(slices - before);
    before = slices;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const worker = async () => {
    for (let count = 0; count < 10; count += 1) {
      await yieldToEventLoop();
      slices += 1;
    }
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  isOver = true;
  expect(slices).toBe(200);
  expect(Math.max(...perTurn)).toBe(1);
});

it("runs jobs in order of arrival", async () => {
  const order: number[] = [];
  await Promise.all([0, 1, 2].map((index) => yieldToEventLoop().then(() => order.push(index))));
  expect(order).toEqual([0, 1, 2]);
});
