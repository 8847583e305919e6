import { expect } from 'vitest'

/** Setup of all tests: compares bytes as bytes. Vitest compares elements, which takes half a minute for 40 MiB. */
const isAdded = Symbol.for('tideport.compare-bytes')
const worker: typeof globalThis & { [isAdded]?: boolean } = globalThis

// A worker keeps it from file to file, and runs this file before each.
if (!worker[isAdded]) {
  expect.addEqualityTesters([equalBytes])
}
worker[isAdded] = true

/** Undefined for other values, and for a `Buffer` and a plain `Uint8Array`, which `toStrictEqual` distinguishes. */
function equalBytes(one: unknown, other: unknown): boolean | undefined {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array) || one.constructor !== other.constructor)
    return undefined
  return Buffer.compare(one, other) === 0
}
