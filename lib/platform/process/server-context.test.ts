// @module-tag heavy
import { beforeEach, expect, it, vi } from "vitest";
import {
  closeServerContext,
  closeServerMember,
  createdMembers,
  forgetServerMember,
  resetServerContext,
  serverMember,
} from "./server-context";

const report = vi.fn();
beforeEach(async () => {
  report.mockClear();
  await resetServerContext();
});

it("creates a member on first use, once for all copies of the module", async () => {
  const create = vi.fn(() => new Map());
  const rates = serverMember("sourceRates", create);
  expect(createdMembers()).toEqual([]);
  vi.resetModules();
  const copy = await import("./server-context");
  expect(copy.serverMember("sourceRates", create)()).toBe(rates());
  expect(create).toHaveBeenCalledTimes(1);
  expect(copy.createdMembers()).toEqual(["sourceRates"]);
});

it("closes clients before their connections, and child processes last", async () => {
  const order: string[] = [];
  const close = (name: string) => () => void order.push(name);
  serverMember("services", () => new Map(), { phase: "children", close: close("services") })();
  serverMember("socksProxy", () => ({ door: null }), { phase: "network", close: close("socksProxy") })();
  serverMember("crossfilterTables", () => ({ tables: null }), { phase: "clients", close: close("tables") })();
  serverMember("sourceRates", () => new Map())();
  await closeServerContext(report);
  expect(order).toEqual(["tables", "socksProxy", "services"]);
  expect(createdMembers()).toEqual(["sourceRates"]);
});

it("closes the others when a member fails or does not end", async () => {
  const failure = new Error("busy");
  const closed = vi.fn();
  const fail = () => Promise.reject(failure);
  serverMember("crossfilterTables", () => ({ tables: null }), { phase: "clients", close: fail })();
  serverMember("sourceRates", () => new Map(), { phase: "clients", close: () => new Promise(() => {}) })();
  serverMember("services", () => new Map(), { phase: "children", close: closed })();
  await closeServerContext(report);
  expect(report.mock.calls).toEqual([[failure]]);
  expect(closed).toHaveBeenCalledTimes(1);
});

it("creates a member again after it was closed or forgotten", async () => {
  const closed = vi.fn();
  const rates = serverMember("sourceRates", () => new Map(), { phase: "clients", close: closed });
  const [first] = [rates(), await closeServerMember("sourceRates")];
  expect(closed).toHaveBeenCalledWith(first);
  const second = rates();
  expect(second).not.toBe(first);
  // The first one was replaced, so forgetting it changes nothing.
  forgetServerMember("sourceRates", first);
  expect(rates()).toBe(second);
  forgetServerMember("sourceRates", second);
  expect(rates()).not.toBe(second);
  expect(closed).toHaveBeenCalledTimes(1);
});

it("forgets every member on a reset, and names the failures", async () => {
  const fail = () => Promise.reject(new Error("busy"));
  serverMember("sourceRates", () => new Map(), { phase: "clients", close: fail })();
  serverMember("heldBodies", () => ({ bytes: 7 }))();
  await expect(resetServerContext()).rejects.toThrow("Some members failed to close.");
  expect(createdMembers()).toEqual([]);
});
