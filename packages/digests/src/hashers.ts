import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { createCRC32, createCRC64, createXXHash3, createXXHash64, createXXHash128, type IHasher } from 'hash-wasm'
import type { DigestName } from './digest-names.ts'

/** Reversed polynomials. */
const CRC32C = 0x82f63b78
const CRC64NVME = '9a6c9329ac4bc9b5'

export interface Hasher {
  update(bytes: Uint8Array): void
  /** Call once, last. */
  digest(): Buffer
}

const instantiate: { [name in DigestName]?: () => Promise<IHasher> } = {
  crc32c: () => createCRC32(CRC32C),
  crc64nvme: () => createCRC64(CRC64NVME),
  xxhash3: () => createXXHash3(),
  xxhash64: () => createXXHash64(),
  xxhash128: () => createXXHash128(),
}

/** Finished WebAssembly instances, because a new one costs more than hashing a small body. */
const idle = new Map<DigestName, IHasher[]>()
const MAX_IDLE = 16

export async function createHasher(name: DigestName): Promise<Hasher> {
  if (name === 'crc32') return zlibHasher()
  const create = instantiate[name]
  return create ? wasmHasher(name, idle.get(name)?.pop() ?? (await create())) : createHash(name)
}

function zlibHasher(): Hasher {
  let value = 0
  return {
    update(bytes) {
      value = crc32(bytes, value)
    },
    digest() {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(value)
      return bytes
    },
  }
}

function wasmHasher(name: DigestName, instance: IHasher): Hasher {
  instance.init()
  return {
    update: (bytes) => void instance.update(bytes),
    digest() {
      const bytes = Buffer.from(instance.digest('binary'))
      const others = idle.get(name) ?? []
      idle.set(name, others)
      if (others.length < MAX_IDLE) others.push(instance)
      return bytes
    },
  }
}
