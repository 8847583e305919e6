import { setFlagsFromString } from 'node:v8'

/**
 * Lets the heap and its buffers together grow to three times what was in use after the last full collection before
 * there is another one. Left to itself V8 marked the same 35 MB for every 20 to 60 MB of buffers, which was half of
 * what passing on bytes cost (docs/adr/0054).
 */
export function letHeapGrow(): void {
  setFlagsFromString('--heap-growing-percent=200')
  setFlagsFromString('--external-memory-accounted-in-global-limit')
}
