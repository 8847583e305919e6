import type { FileRecord, Source } from '@tideport/sdk'
import {
  createVaultKey,
  encryptionOfToken,
  encryptSource,
  type OpenPrivateFile,
  openPrivateFile,
  openVaultKey,
  type ReadEncrypted,
  sealVaultKey,
  type VaultKey,
  vaultKeyId,
  WrongKeyError,
} from '@tideport/sdk/crypto'
import { askingPage } from './ask-page.ts'
import type { Input, Method, Output } from './protocol.ts'

const keys = new Map<string, VaultKey>()
const sources = new Map<number, Source>()
let lastId = 0

export const calls: { [M in Method]: (input: Input<M>) => Promise<Output<M>> } = {
  async create({ vaultId, passphrase }) {
    const key = createVaultKey()
    const ageFile = await sealVaultKey(key, { passphrase })
    keys.set(vaultId, key)
    return { ageFile, keyId: await vaultKeyId(key) }
  },
  async open({ vaultId, ageFile, by, proof }) {
    const key = await openVaultKey(ageFile, 'passkey' in by ? { passkey: askingPage(by.passkey) } : by)
    const keyId = await vaultKeyId(key)
    if (proof !== null && 'file' in proof) await opened(proof.file, key, '')
    if (proof !== null && 'keyId' in proof && proof.keyId !== keyId)
      throw new WrongKeyError('The key belongs to another vault')
    keys.set(vaultId, key)
    return { keyId }
  },
  async seal({ vaultId, to }) {
    const recipients = 'passkey' in to ? { passkey: askingPage(to.passkey) } : { recipients: [to.recipient] }
    return await sealVaultKey(keyOf(vaultId), recipients)
  },
  async close({ vaultId }) {
    keys.delete(vaultId)
    return null
  },
  async encrypt({ vaultId, file, token }) {
    const begun = token === undefined ? undefined : encryptionOfToken(token)
    const { encrypted, fields } = await encryptSource(file, keyOf(vaultId), begun)
    lastId += 1
    sources.set(lastId, encrypted)
    return { id: lastId, size: encrypted.size, fields }
  },
  async encrypted({ id, start, end }) {
    return (await sources.get(id)?.slice(start, end)) as Uint8Array<ArrayBuffer>
  },
  async forget({ id }) {
    sources.delete(id)
    return null
  },
  async read({ file, url, start, end }) {
    const { read } = await opened(file, keyOf(file.vaultId), url)
    const pieces: Uint8Array<ArrayBuffer>[] = []
    for await (const piece of read(start, end)) pieces.push(piece)
    return new Uint8Array(await new Blob(pieces).arrayBuffer())
  },
}

function keyOf(vaultId: string): VaultKey {
  const key = keys.get(vaultId)
  if (key === undefined) throw new Error('The vault is locked')
  return key
}

function opened(file: FileRecord, key: VaultKey, url: string): Promise<OpenPrivateFile> {
  const { wrappedKey, encryptionIv, plaintextSizeBytes, plaintextChecksumSha256, sizeBytes } = file
  const fields = {
    wrappedKey: wrappedKey ?? '',
    encryptionIv: encryptionIv ?? '',
    plaintextSizeBytes: plaintextSizeBytes ?? 0,
    plaintextChecksumSha256: plaintextChecksumSha256 ?? '',
    sizeBytes,
  }
  return openPrivateFile(fields, key, rangesOf(url))
}

/** Another URL or another attempt may succeed. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure'
}

/** The URL must need no credentials. */
function rangesOf(url: string): ReadEncrypted {
  return async function* (start, end) {
    if (end <= start) return
    try {
      const response = await fetch(url, { headers: { range: `bytes=${start}-${end - 1}` } })
      if (response.status !== 206 || response.body === null) throw new StorageFailure(`HTTP ${response.status}`)
      const reader = response.body.getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        yield value
      }
    } catch (error) {
      throw error instanceof StorageFailure ? error : new StorageFailure('No bytes received', { cause: error })
    }
  }
}
