import { CID_BYTES } from './cid.ts'
import { decodeVarint } from './varint.ts'

export interface FileLink {
  cid: Buffer
  /** Bytes of the file below this link. */
  contentBytes: number
}

export interface FileNode {
  /** Bytes of the file below this node. */
  contentBytes: number
  links: FileLink[]
}

const LENGTH_DELIMITED = 2
const VARINT = 0
const FILE = 2

/**
 * Null: the block is not a file, has content of its own, or has missing or wrong sizes. Links may precede data
 * (IPIP-550).
 */
export function decodeFileNode(block: Buffer): FileNode | null {
  const fields = fieldsOf(block)
  const data = fieldsOf(bytesAt(fields, 1)[0])
  const cids = bytesAt(fields, 2).map((link) => bytesAt(fieldsOf(link), 1)[0])
  const [type, contentBytes, sizes] = [numbersAt(data, 1)[0], numbersAt(data, 3)[0], numbersAt(data, 4)]
  const hasOwnContent = bytesAt(data, 2).some(({ length }) => length > 0)
  if (!fields || !data || type !== FILE || contentBytes === undefined || hasOwnContent) return null
  const links = cids.flatMap((cid, index) => {
    const size = sizes[index]
    return cid?.length === CID_BYTES && size !== undefined ? [{ cid, contentBytes: size }] : []
  })
  const isWhole = links.length === cids.length && links.length === sizes.length
  return isWhole && links.reduce((sum, link) => sum + link.contentBytes, 0) === contentBytes
    ? { contentBytes, links }
    : null
}

interface Field {
  number: number
  value: number | Buffer
}

/** The fields of a protobuf message, in order. Null: not a message, or a field is neither bytes nor a varint. */
function fieldsOf(message: Buffer | undefined): Field[] | null {
  if (message === undefined) return null
  const fields: Field[] = []
  for (let at = 0; at < message.length; ) {
    const key = decodeVarint(message, at)
    const value = key && decodeVarint(message, key.next)
    if (!key || !value) return null
    const [number, wireType] = [Math.floor(key.value / 8), key.value % 8]
    if (wireType === VARINT) {
      fields.push({ number, value: value.value })
      at = value.next
    } else if (wireType === LENGTH_DELIMITED && value.next + value.value <= message.length) {
      at = value.next + value.value
      fields.push({ number, value: message.subarray(value.next, at) })
    } else {
      return null
    }
  }
  return fields
}

function bytesAt(fields: Field[] | null, number: number): Buffer[] {
  return (fields ?? []).flatMap((field) => (field.number === number && Buffer.isBuffer(field.value) ? field.value : []))
}

function numbersAt(fields: Field[] | null, number: number): number[] {
  return (fields ?? []).flatMap((field) =>
    field.number === number && typeof field.value === 'number' ? field.value : [],
  )
}
