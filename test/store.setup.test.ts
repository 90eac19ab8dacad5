import { expect, test } from "vitest";
import { assertLocal } from "./store.setup";

test.each([
  "mongodb://localhost:27017/x",
  "mongodb://127.0.0.1/",
  "mongodb://user:pass@[::1]:27017/?directConnection=true",
  "mongodb://%2Ftmp%2Fmillrace-0%2Fabc.sock/?directConnection=true",
])("%s is local", (uri) => {
  expect(() => assertLocal(uri)).not.toThrow();
});

test.each([
  "mongodb://db.example.com/x",
  "mongodb://localhost,db.example.com/x",
  "mongodb://localhost@db.example.com/",
  "mongodb://localhost.example.com/",
  "mongodb+srv://localhost/x",
  "",
])("%s is refused, since tests drop databases", (uri) => {
  expect(() => assertLocal(uri)).toThrow("a server on this machine");
});
