/** The checksums of S3: the name in headers is `x-amz-checksum-NAME`, the size is in bytes. */
export const algorithms = {
  crc32: { name: 'CRC32', element: 'ChecksumCRC32', size: 4 },
  crc32c: { name: 'CRC32C', element: 'ChecksumCRC32C', size: 4 },
  crc64nvme: { name: 'CRC64NVME', element: 'ChecksumCRC64NVME', size: 8 },
  sha1: { name: 'SHA1', element: 'ChecksumSHA1', size: 20 },
  sha256: { name: 'SHA256', element: 'ChecksumSHA256', size: 32 },
  sha512: { name: 'SHA512', element: 'ChecksumSHA512', size: 64 },
  md5: { name: 'MD5', element: 'ChecksumMD5', size: 16 },
  xxhash3: { name: 'XXHASH3', element: 'ChecksumXXHASH3', size: 8 },
  xxhash64: { name: 'XXHASH64', element: 'ChecksumXXHASH64', size: 8 },
  xxhash128: { name: 'XXHASH128', element: 'ChecksumXXHASH128', size: 16 },
} as const

export type Algorithm = keyof typeof algorithms

export const algorithmNames = Object.keys(algorithms) as Algorithm[]

/** The algorithm with this name of S3, in any case. */
export function algorithmNamed(name: string): Algorithm | undefined {
  return algorithmNames.find((algorithm) => algorithm === name.toLowerCase())
}

export function isDigest(algorithm: Algorithm, value: string): boolean {
  return isBase64Of(value, algorithms[algorithm].size)
}

export function isBase64Of(value: string, size: number): boolean {
  const bytes = Buffer.from(value, 'base64')
  return bytes.length === size && bytes.toString('base64') === value
}
