export * from "@/lib/base/values/cell-text";
