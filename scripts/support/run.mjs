import { spawn } from "node:child_process";
import { constants } from "node:os";
import { ROOT } from "./paths.mjs";

const FORWARDED = ["SIGTERM", "SIGINT", "SIGHUP"];

/** A failure with advice for the reader: its message is printed without a stack. */
export class ScriptError extends Error {}

/**
 * Runs a program in the project's folder with this terminal, forwarding signals. @returns {Promise<number>} its exit
 * code; 128 plus the signal's number if a signal ended it
 */
export function run(command, args, { env = process.env, stdio = "inherit" } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, env, stdio });
    const forward = (signal) => child.kill(signal);
    for (const signal of FORWARDED) process.on(signal, forward);
    const done = () => {
      for (const signal of FORWARDED) process.off(signal, forward);
    };
    child.once("error", (error) => {
      done();
      reject(error);
    });
    child.once("exit", (code, signal) => {
      done();
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/** Runs a program and captures its output; `output` has both streams in order of arrival. */
export function capture(command, args, { env = process.env, cwd = ROOT } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const forward = (signal) => child.kill(signal);
    for (const signal of FORWARDED) process.on(signal, forward);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.once("error", reject);
    child.once("close", (code, signal) => {
      for (const name of FORWARDED) process.off(name, forward);
      resolve({ code: code ?? 128 + constants.signals[signal], output });
    });
  });
}

/** Runs a script's main function; an error for the reader ends it with its message and code 1. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    // The settings' error has all details in its message too.
    if (!(error instanceof ScriptError) && error.name !== "EnvError") throw error;
    console.error(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}
