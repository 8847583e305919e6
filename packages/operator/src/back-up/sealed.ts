import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Decrypter, Encrypter, identityToRecipient } from 'age-encryption'

/** Ends every stored blob: the SHA-256 of its name and bytes. */
const DIGEST_BYTES = 32

/** Writes blobs of a backup. */
export interface Sealer {
  /** Age recipients; empty: the backup is not encrypted. */
  recipients: readonly string[]
  seal(name: string, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  sealedBytes(sizeBytes: number): number
}

/** Reads a blob. Throws `DamagedError` at its end, unless every byte was sealed under this name. */
export type Unseal = (name: string, sealed: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>

export class DamagedError extends Error {
  override name = 'DamagedError'
}

export async function createSealer(recipients: readonly string[]): Promise<Sealer> {
  if (recipients.length === 0) {
    return { recipients, seal: withDigest, sealedBytes: (sizeBytes) => sizeBytes + DIGEST_BYTES }
  }
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  // Every header of these recipients has the same length.
  const sample = await encrypter.encrypt(ReadableStream.from<Uint8Array>([]))
  await sample.cancel()
  return {
    recipients,
    async *seal(name, bytes) {
      yield* await encrypter.encrypt(ReadableStream.from(withDigest(name, bytes)))
    },
    sealedBytes: (sizeBytes) => sample.size(sizeBytes + DIGEST_BYTES),
  }
}

export function createUnseal(identities: readonly string[]): Unseal {
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  return async function* unseal(name, sealed) {
    const source = notingFailure(sealed)
    try {
      const framed = identities.length === 0 ? source.bytes : await decrypter.decrypt(ReadableStream.from(source.bytes))
      yield* withoutDigest(name, framed)
    } catch (error) {
      const unread = source.failure()
      if (unread) throw new Error(`${name} could not be read: ${unread.message}`, { cause: unread })
      throw new DamagedError(`${name} is damaged or incomplete`, { cause: error })
    }
  }
}

/** Tells a failure of the source from one of its reader. */
export function notingFailure(from: AsyncIterable<Uint8Array>) {
  let failure: Error | undefined
  const bytes = async function* () {
    try {
      yield* from
    } catch (error) {
      failure = error as Error
      throw error
    }
  }
  return { bytes: bytes(), failure: () => failure }
}

/** Another identity and a damaged header look the same. */
export const isOfNoIdentity = ({ cause }: Error) => cause instanceof Error && /no identity matched/.test(cause.message)

const digestOf = (name: string) => createHash('sha256').update(`${name}\n`)

async function* withDigest(name: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const digest = digestOf(name)
  for await (const chunk of bytes) {
    digest.update(chunk)
    yield chunk
  }
  yield digest.digest()
}

async function* withoutDigest(name: string, framed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const digest = digestOf(name)
  let tail: Buffer = Buffer.alloc(0)
  for await (const chunk of framed) {
    const all = Buffer.concat([tail, chunk])
    const bytes = all.subarray(0, Math.max(0, all.length - DIGEST_BYTES))
    tail = all.subarray(bytes.length)
    digest.update(bytes)
    if (bytes.length > 0) yield bytes
  }
  if (!digest.digest().equals(tail)) throw new Error('The digest differs')
}

/** The secret keys of an age identity file. Throws a sentence without the file's content. */
export async function readIdentities(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The identity file ${path} cannot be read (${error.code})`)
  })
  const identities = text.split(/\r?\n/).flatMap((line) => (/^AGE-SECRET-KEY-/.test(line.trim()) ? line.trim() : []))
  if (identities.length === 0) throw new Error(`${path} contains no age identity (AGE-SECRET-KEY-…)`)
  await recipientsOf(identities).catch(() => {
    throw new Error(`${path} contains an invalid age identity`)
  })
  return identities
}

export async function recipientsOf(identities: readonly string[]): Promise<string[]> {
  return await Promise.all(identities.map((identity) => identityToRecipient(identity)))
}
