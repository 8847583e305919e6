import { crc32 } from 'node:zlib'

/** What a ZIP of files that are stored as they are has, by its directory; throws where a record contradicts another. */
export function readZip(zip: Buffer): { name: string; bytes: string }[] {
  const end = zip.length - 22
  expectThat(zip.readUInt32LE(end) === 0x06054b50, 'it ends with the end of the directory')
  const count = zip.readUInt16LE(end + 10)
  let at = zip.readUInt32LE(end + 16)
  expectThat(at + zip.readUInt32LE(end + 12) === end, 'the directory is right before its end')
  const files = Array.from({ length: count }, () => {
    expectThat(zip.readUInt32LE(at) === 0x02014b50, 'an entry of the directory')
    const [crc, sizeBytes, nameLength] = [
      zip.readUInt32LE(at + 16),
      zip.readUInt32LE(at + 24),
      zip.readUInt16LE(at + 28),
    ]
    const localAt = zip.readUInt32LE(at + 42)
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    at += 46 + nameLength + zip.readUInt16LE(at + 30)
    expectThat(zip.readUInt32LE(localAt) === 0x04034b50, 'a local header')
    const bytesAt = localAt + 30 + zip.readUInt16LE(localAt + 26) + zip.readUInt16LE(localAt + 28)
    expectThat(zip.toString('utf8', localAt + 30, localAt + 30 + nameLength) === name, 'both names are the same')
    const bytes = zip.subarray(bytesAt, bytesAt + sizeBytes)
    expectThat(crc32(bytes) === crc, 'the checksum is right')
    expectThat(zip.readUInt32LE(bytesAt + sizeBytes) === 0x08074b50, 'a descriptor behind the bytes')
    expectThat(zip.readUInt32LE(bytesAt + sizeBytes + 4) === crc, 'with the same checksum')
    return { name, bytes: bytes.toString() }
  })
  expectThat(at === end, 'the directory has no more entries')
  return files
}

function expectThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(`In this ZIP it is not so that ${what}`)
}
