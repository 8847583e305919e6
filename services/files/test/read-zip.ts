import { crc32, inflateRawSync } from 'node:zlib'

interface Entry {
  name: string
  bytes: string
  at: number
  /** The same in the descriptor and in the directory. */
  numbers: { crc: number; packedBytes: number; sizeBytes: number }
}

/**
 * Reads a ZIP from front to back, like the strictest streaming readers, and then compares its directory with the
 * entries. Throws if a record contradicts APPNOTE or another record.
 */
export function readZip(zip: Buffer): { name: string; bytes: string }[] {
  const entries: Entry[] = []
  let at = 0
  while (zip.readUInt32LE(at) === 0x04034b50) {
    const { entry, next } = readEntry(zip, at)
    entries.push(entry)
    at = next
  }
  const directoryAt = at
  for (const entry of entries) at = compareWithDirectory(zip, at, entry)
  expectThat(zip.readUInt32LE(at) === 0x06054b50, 'the end follows the directory of as many entries')
  expectThat(zip.readUInt16LE(at + 10) === entries.length, 'the end counts the entries')
  expectThat(zip.readUInt32LE(at + 16) === directoryAt, 'the end names the place of the directory')
  expectThat(directoryAt + zip.readUInt32LE(at + 12) === at, 'the end knows the length of the directory')
  expectThat(at + 22 === zip.length, 'nothing follows the end')
  return entries.map(({ name, bytes }) => ({ name, bytes }))
}

function readEntry(zip: Buffer, at: number): { entry: Entry; next: number } {
  const [flags, method] = [zip.readUInt16LE(at + 6), zip.readUInt16LE(at + 8)]
  const [nameLength, extraLength] = [zip.readUInt16LE(at + 26), zip.readUInt16LE(at + 28)]
  const name = zip.toString('utf8', at + 30, at + 30 + nameLength)
  const bytesAt = at + 30 + nameLength + extraLength
  const local = { crc: zip.readUInt32LE(at + 14), packedBytes: zip.readUInt32LE(at + 18), sizeBytes: zip.readUInt32LE(at + 22) } // biome-ignore format: one header
  expectThat((flags & 0x0800) !== 0, 'the name is in UTF-8')
  const hasDescriptor = (flags & 8) !== 0
  const nothing = { crc: 0, packedBytes: 0, sizeBytes: 0 }
  expectThat(isSame(local, nothing), 'the local header leaves the numbers to the descriptor, or the file is empty')
  if (!hasDescriptor) {
    expectThat(method === 0, 'an empty file is stored')
    return { entry: { name, bytes: '', at, numbers: nothing }, next: bytesAt }
  }
  expectThat(method === 8, 'only DEFLATE has a descriptor')
  const { buffer: bytes, engine } = inflateRawSync(zip.subarray(bytesAt), { info: true }) as unknown as {
    buffer: Buffer
    engine: { bytesWritten: number }
  }
  const behind = bytesAt + engine.bytesWritten
  expectThat(zip.readUInt32LE(behind) === 0x08074b50, 'a descriptor follows the last block')
  const numbers = { crc: crc32(bytes), packedBytes: engine.bytesWritten, sizeBytes: bytes.length }
  const said = { crc: zip.readUInt32LE(behind + 4), packedBytes: zip.readUInt32LE(behind + 8), sizeBytes: zip.readUInt32LE(behind + 12) } // biome-ignore format: one descriptor
  expectThat(isSame(said, numbers), 'the descriptor has the checksum and both sizes')
  return { entry: { name, bytes: bytes.toString(), at, numbers }, next: behind + 16 }
}

function compareWithDirectory(zip: Buffer, at: number, entry: Entry): number {
  expectThat(zip.readUInt32LE(at) === 0x02014b50, 'each entry is in the directory')
  const said = { crc: zip.readUInt32LE(at + 16), packedBytes: zip.readUInt32LE(at + 20), sizeBytes: zip.readUInt32LE(at + 24) } // biome-ignore format: one header
  expectThat(isSame(said, entry.numbers), 'the directory has the checksum and both sizes')
  expectThat(zip.readUInt32LE(at + 42) === entry.at, 'the directory has the place of the entry')
  const shared = (from: number) => zip.subarray(from, from + 8)
  expectThat(
    shared(at + 8).equals(shared(entry.at + 6)),
    'the flags, the method, and the time are the same in both headers',
  )
  const nameLength = zip.readUInt16LE(at + 28)
  expectThat(zip.toString('utf8', at + 46, at + 46 + nameLength) === entry.name, 'both names are the same')
  return at + 46 + nameLength + zip.readUInt16LE(at + 30)
}

function isSame(one: Entry['numbers'], other: Entry['numbers']): boolean {
  return one.crc === other.crc && one.packedBytes === other.packedBytes && one.sizeBytes === other.sizeBytes
}

function expectThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(`This does not hold for the ZIP: ${what}`)
}
