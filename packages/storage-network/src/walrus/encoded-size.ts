/** An RS2 symbol has an even number of bytes, and that number must fit into 16 bits. */
const SYMBOL_BYTES_MAX = 65_534
const DIGEST_BYTES = 32

/** The bytes that Walrus bills: two slivers per shard, and on each shard the digests of all slivers. */
export function encodedSizeBytes(size: number, shards: number): number {
  const { primary, secondary } = sourceSymbols(shards)
  const symbolBytes = Math.max(2, 2 * Math.ceil(size / (primary * secondary) / 2))
  const metadataBytes = shards * (shards * 2 * DIGEST_BYTES + DIGEST_BYTES)
  return shards * (primary + secondary) * symbolBytes + metadataBytes
}

/** The largest blob that can be encoded for so many shards: 13.6 GiB for 1000. */
export function largestBlobBytes(shards: number): number {
  const { primary, secondary } = sourceSymbols(shards)
  return primary * secondary * SYMBOL_BYTES_MAX
}

/** Of n shards f = (n - 1) / 3 may be faulty: n - 2f symbols make a column, n - f a row. */
function sourceSymbols(shards: number): { primary: number; secondary: number } {
  const faulty = Math.floor((shards - 1) / 3)
  return { primary: shards - 2 * faulty, secondary: shards - faulty }
}
