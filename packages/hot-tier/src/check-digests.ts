import { createHash, getFips } from 'node:crypto'
import { sizes } from './copy-object.ts'
import { PART_BYTES } from './store-object.ts'
import type { StoredDigests } from './stored-digests.ts'

/**
 * `same` and `other` are certain. `unlike`: the ETag is not the one that MD5 gives, which proves something only with stores
 * that make ETags by MD5. `unknown`: the store says nothing that can be compared.
 */
export type Comparison = 'same' | 'other' | 'unlike' | 'unknown'

export interface DigestCheck {
  /** How the object was stored, by its ETag. */
  form: 'whole' | 'parts'
  /** Passes the bytes on unchanged. */
  watch(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  /** All bytes have passed, and have this SHA-256. */
  compare(sha256: string): Comparison
}

/** An object's size, and that of its parts where a client uploaded it in parts. */
interface Layout {
  sizeBytes: number
  partSizeBytes: number | null
}

/** Compares bytes that are read with the digests that the store names for them. */
export function checkDigests(stored: StoredDigests, layout: Layout): DigestCheck {
  const stepBytes = stored.sha256 === null && stored.md5 !== null && getFips() === 0 ? stepOf(stored, layout) : null
  const md5 = stepBytes === null ? null : createStepHash(stepBytes, stored.parts !== null)
  return {
    form: stored.parts === null ? 'whole' : 'parts',
    async *watch(bytes) {
      for await (const chunk of bytes) {
        md5?.update(chunk)
        yield chunk
      }
    },
    compare(sha256) {
      if (stored.sha256 !== null) return stored.sha256 === sha256 ? 'same' : 'other'
      if (md5 === null) return 'unknown'
      if (md5.digest() === stored.md5) return 'same'
      return (stored.parts === null) === (layout.partSizeBytes === null) ? 'unlike' : 'unknown'
    },
  }
}

/** The size of the parts that an object was made of; null where no upload of ours has so many. */
function stepOf({ parts }: StoredDigests, { sizeBytes, partSizeBytes }: Layout): number | null {
  if (parts === null) return Number.POSITIVE_INFINITY
  const isSo = (step: number) => Math.max(1, Math.ceil(sizeBytes / step)) === parts
  const steps = partSizeBytes === null ? [PART_BYTES, sizes.partBytes] : [partSizeBytes]
  return steps.find(isSo) ?? null
}

/** MD5 of all bytes, or of the MD5s of steps of so many. */
function createStepHash(stepBytes: number, isOfSteps: boolean) {
  const steps = createHash('md5')
  let step = createHash('md5')
  let leftBytes = stepBytes
  let count = 0
  const end = () => {
    steps.update(step.digest())
    step = createHash('md5')
    leftBytes = stepBytes
    count += 1
  }
  return {
    update(chunk: Uint8Array): void {
      for (let at = 0; at < chunk.length; ) {
        const piece = chunk.subarray(at, at + leftBytes)
        step.update(piece)
        at += piece.length
        leftBytes -= piece.length
        if (leftBytes === 0) end()
      }
    },
    digest(): string {
      if (!isOfSteps) return step.digest('hex')
      if (leftBytes < stepBytes || count === 0) end()
      return steps.digest('hex')
    },
  }
}
