import { type BytesClaim, objectTrailer, TRAILER_BYTES_MAX } from '@tideport/contracts/internal/object-contents'
import { type DigestName, type Digests, digestNames, isDigestValue } from '@tideport/digests/digest-names'
import { createDigester } from '@tideport/digests/digester'
import { AppError } from '@tideport/service-kit/process/app-error'

/** Bytes of a client that end only if they have the announced length and all announced digests. */
export interface VerifiedBytes {
  /** Keeps the last piece back until all digests match, so a reader never has all bytes of a wrong body. */
  stream: AsyncGenerator<Buffer>
  /** Base64, once the stream has ended: MD5, SHA-256, and all that were declared or wanted. */
  found(): Digests
  /** Names of the digests to keep. */
  kept(): DigestName[]
}

type Claim = BytesClaim & { sizeBytes: number }

/** `chunks`: the bytes and, behind them, a trailer if the claim has one. Throws `digest_mismatch` while it is read. */
export function verifiedBytes(chunks: AsyncIterable<Buffer>, claim: Claim): VerifiedBytes {
  let found: Digests = {}
  let declared = claim.digests

  async function* stream(): AsyncGenerator<Buffer> {
    const names = digestNames.filter((name) => name === 'md5' || name === 'sha256' || isNamedIn(claim, name))
    const digester = await createDigester(names, claim.sizeBytes)
    let isOver = false
    try {
      let last: Buffer | undefined
      const trailer: Buffer[] = []
      for await (const { bytes, behind } of split(chunks, claim)) {
        if (behind.length > 0) trailer.push(behind)
        if (bytes.length === 0) continue
        if (last) yield last
        await digester.update(bytes)
        last = bytes
      }
      found = await digester.digest()
      isOver = true
      declared = { ...declared, ...(claim.hasTrailer && trailerIn(trailer)) }
      compare(claim, declared, found)
      if (last) yield last
    } finally {
      if (!isOver) digester.abandon()
    }
  }

  return {
    stream: stream(),
    found: () => found,
    kept: () => digestNames.filter((name) => claim.wanted.includes(name) || declared[name] !== undefined),
  }
}

const isNamedIn = ({ digests, wanted }: Claim, name: DigestName) => digests[name] !== undefined || wanted.includes(name)

/** Throws 400 for a body that is shorter or longer than announced. */
async function* split(chunks: AsyncIterable<Buffer>, { sizeBytes, hasTrailer }: Claim) {
  let left = sizeBytes
  let trailerBytes = 0
  for await (const chunk of chunks) {
    const bytes = chunk.subarray(0, left)
    const behind = chunk.subarray(bytes.length)
    left -= bytes.length
    trailerBytes += behind.length
    if (trailerBytes > (hasTrailer ? TRAILER_BYTES_MAX : 0)) throw invalid('The body is longer than its announced size')
    yield { bytes, behind }
  }
  if (left > 0) throw invalid(`The last ${left} bytes of the body are missing`)
}

function trailerIn(chunks: readonly Buffer[]): Digests {
  try {
    return objectTrailer.parse(JSON.parse(Buffer.concat(chunks).toString())).digests as Digests
  } catch (cause) {
    throw new AppError('validation_failed', 'The trailer of the body is invalid', { cause })
  }
}

/** Throws 400 with the names of all digests that differ. */
function compare({ contentMd5, contentSha256 }: Claim, declared: Digests, found: Digests): void {
  const sha256 = Buffer.from(found.sha256 ?? '', 'base64').toString('hex')
  const wrong: string[] = digestNames.filter((name) => {
    const value = declared[name]
    return value !== undefined && (!isDigestValue(name, value) || value !== found[name])
  })
  if (contentMd5 !== undefined && contentMd5 !== found.md5) wrong.push('content-md5')
  if (contentSha256 !== undefined && contentSha256.toLowerCase() !== sha256) wrong.push('content-sha256')
  if (wrong.length === 0) return
  const sentence = 'The received bytes do not match a digest in the request'
  throw new AppError('digest_mismatch', sentence, { details: { wrong, sha256 } })
}

const invalid = (sentence: string) => new AppError('validation_failed', sentence)
