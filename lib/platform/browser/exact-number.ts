export * from "@/lib/base/values/exact-number";
