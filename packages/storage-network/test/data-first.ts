import { decodeVarint } from '../src/unixfs/varint.ts'

/** The same dag-pb node with its data before its links, as IPIP-550 allows. */
export function dataFirst(block: Buffer): Buffer {
  const fields: Buffer[] = []
  for (let at = 0; at < block.length; ) {
    const length = decodeVarint(block, at + 1) ?? { value: 0, next: block.length }
    fields.push(block.subarray(at, length.next + length.value))
    at = length.next + length.value
  }
  const DATA = 0x0a
  return Buffer.concat([...fields.filter(([key]) => key === DATA), ...fields.filter(([key]) => key !== DATA)])
}
