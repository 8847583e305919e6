import { combineCrcs, isCrcName } from '@tideport/digests/combine-crcs'
import { type DigestName, isDigestName } from '@tideport/digests/digest-names'
import { digestsOf } from '@tideport/digests/digester'
import { AppError } from '@tideport/service-kit/process/app-error'

export interface UploadDigest {
  digestAlgorithm: DigestName | null
  digestType: 'full_object' | 'composite' | null
}

const invalid = (sentence: string) => new AppError('validation_failed', sentence)

/** The kind of digests of an upload, as its column has it; null: none. Throws 400 for combinations that S3 refuses. */
export function chosenDigest({ digestAlgorithm: name, digestType: type }: UploadDigest): string | null {
  if (name === null) {
    if (type !== null)
      throw invalid('The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.')
    return null
  }
  const own = type ?? (name === 'crc64nvme' ? 'full_object' : 'composite')
  const isPossible = own === 'full_object' ? isCrcName(name) : name !== 'crc64nvme'
  if (!isPossible)
    throw invalid(`The ${own.toUpperCase()} checksum type cannot be used with the ${name} checksum algorithm.`)
  return `${name} ${own}`
}

export function digestOf({ uploadDigest }: { uploadDigest: string | null }): UploadDigest {
  const [name = '', type] = uploadDigest?.split(' ') ?? []
  if (!isDigestName(name) || (type !== 'full_object' && type !== 'composite'))
    return { digestAlgorithm: null, digestType: null }
  return { digestAlgorithm: name, digestType: type }
}

/**
 * Throws 400 for a part with other digests than the upload began with, and in composite uploads also for none. SDKs send
 * digests of parts to uploads without any, which are compared but not kept.
 */
export function assertSameDigest(
  { digestAlgorithm: name, digestType: type }: UploadDigest,
  sent: readonly string[],
): void {
  if (name === null) return
  const other = sent.find((one) => one !== name)
  const isMissing = type === 'composite' && sent.length === 0
  if (other === undefined && !isMissing) return
  throw invalid(
    `Checksum Type mismatch occurred, expected checksum Type: ${name.toUpperCase()}, actual checksum Type: ${other?.toUpperCase() ?? 'null'}`,
  )
}

/** Throws 400 for a list of parts without the digests of which the object gets its own. */
export function assertListed(
  { digestAlgorithm: name, digestType: type }: UploadDigest,
  parts: readonly { partNumber: number; digests: Record<string, string> }[],
): void {
  if (name === null || type !== 'composite') return
  const part = parts.find(({ digests }) => digests[name] === undefined)
  if (part === undefined) return
  throw invalid(
    `The upload was created using a ${name} checksum. The complete request must include the checksum for each part. It was missing for part ${part.partNumber} in the request.`,
  )
}

/** Objects get it if their client wants no other digest, as in S3. */
export const DEFAULT_DIGEST = 'crc64nvme'

/** What a part has of its digests for its client. */
export function shownDigests(
  { digestAlgorithm: name }: UploadDigest,
  digests: Record<string, string> | null,
): Record<string, string> {
  const value = name === null ? undefined : digests?.[name]
  return name === null || value === undefined ? {} : { [name]: value }
}

interface Part {
  partNumber: number
  sizeBytes: number
  digests: Record<string, string> | null
}

/** The digest of an object from those of its parts. A composite one ends in their number. */
export async function combineDigests(
  { digestAlgorithm: name, digestType: type }: UploadDigest,
  parts: readonly Part[],
): Promise<Record<string, string> | null> {
  const own = name ?? DEFAULT_DIGEST
  const all = parts.map(({ digests, sizeBytes }) => ({ digest: digests?.[own] ?? '', sizeBytes }))
  // Parts that the store has copied have none.
  if (all.some(({ digest }) => digest === '')) return null
  if (type !== 'composite' && isCrcName(own)) return { [own]: combineCrcs(own, all) }
  if (name === null) return null
  const bytes = Buffer.concat(all.map(({ digest }) => Buffer.from(digest, 'base64')))
  const composite = (await digestsOf([name], bytes))[name]
  return { [name]: `${composite}-${parts.length}` }
}

interface Expected {
  digests: Record<string, string>
  digestType: UploadDigest['digestType']
}

/** Throws 400 for a digest that the client expects and the object does not have. */
export function assertExpected(
  { digestAlgorithm: name, digestType: type }: UploadDigest,
  { digests, digestType }: Expected,
  found: Record<string, string> | null,
): void {
  if (name === null) return
  if (digestType !== null && digestType !== type) {
    throw invalid(
      `The upload was created using the ${type?.toUpperCase()} checksum mode. The complete request must use the same checksum mode.`,
    )
  }
  const expected = digests[name]
  if (expected === undefined || isSame(expected, found?.[name] ?? '')) return
  throw new AppError('digest_mismatch', 'The checksum of the object does not match the one in the request', {
    details: { wrong: [name] },
  })
}

/** Clients send composite digests with or without the number of parts. */
const isSame = (expected: string, found: string) =>
  expected === found || (found.includes('-') && expected === found.slice(0, found.lastIndexOf('-')))
