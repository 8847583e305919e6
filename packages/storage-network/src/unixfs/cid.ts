/** Multicodecs of a raw leaf and of a dag-pb node. */
export const RAW = 0x55
export const DAG_PB = 0x70

/** Length of every CID here: version 1, codec, sha2-256, digest length 32, the digest. */
export const CID_BYTES = 36
const HEADER_BYTES = 4
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const TEXT = /^b[a-z2-7]{58}$/

export function cidOf(codec: typeof RAW | typeof DAG_PB, digest: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(0x01, codec, 0x12, 0x20), digest])
}

export function digestOf(cid: Buffer): Buffer {
  return cid.subarray(HEADER_BYTES)
}

export function formatCid(cid: Buffer): string {
  let text = 'b'
  let bits = 0
  let pending = 0
  for (const byte of cid) {
    pending = (pending << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET.charAt((pending >> bits) & 31)
    }
    pending &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + ALPHABET.charAt((pending << (5 - bits)) & 31)
}

/** The bytes of a CID in the only form that this project writes; null for any other text. */
export function parseCid(text: string): Buffer | null {
  if (!TEXT.test(text)) return null
  const cid = Buffer.alloc(CID_BYTES)
  let bits = 0
  let pending = 0
  let at = 0
  for (const char of text.slice(1)) {
    pending = ((pending << 5) | ALPHABET.indexOf(char)) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    cid[at++] = (pending >> bits) & 0xff
  }
  const known = cid[0] === 0x01 && (cid[1] === RAW || cid[1] === DAG_PB) && cid[2] === 0x12 && cid[3] === 0x20
  return known && formatCid(cid) === text ? cid : null
}
