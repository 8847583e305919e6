/** Digests by their lower-case S3 names, with the bytes of each. */
const sizes = {
  md5: 16,
  sha1: 20,
  sha256: 32,
  sha512: 64,
  crc32: 4,
  crc32c: 4,
  crc64nvme: 8,
  xxhash3: 8,
  xxhash64: 8,
  xxhash128: 16,
}

export type DigestName = keyof typeof sizes

/** Base64 values by name. Numbers are in big-endian order, as S3 has them. */
export type Digests = { [name in DigestName]?: string }

export const digestNames = Object.keys(sizes) as DigestName[]

export const isDigestName = (name: string): name is DigestName => Object.hasOwn(sizes, name)

/** Whether the text is the canonical base64 of a digest of this name. */
export function isDigestValue(name: DigestName, value: string): boolean {
  const bytes = Buffer.from(value, 'base64')
  return bytes.length === sizes[name] && bytes.toString('base64') === value
}
