import { expect } from 'vitest'

/** Setup of all tests: compares byte arrays by buffer. Vitest compares elements, which takes 30 seconds for 40 MiB. */
const isAdded = Symbol.for('tideport.compare-bytes')
const worker: typeof globalThis & { [isAdded]?: boolean } = globalThis

// A worker keeps the tester across test files, and runs this file before each of them.
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
