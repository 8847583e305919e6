import { elementsOf, textOf } from '@tideport/s3-client/response'
import type { Reference } from '../storage-network.ts'
import { hasSidecar } from '../verified/sidecar.ts'
import type { Bucket } from './bucket.ts'
import { contentOf, copyOf, type Named } from './keys.ts'
import { headObject } from './objects.ts'
import { pagesOf } from './pages.ts'
import type { Store } from './store.ts'

/** All copies, in no order. For copies of several leaves, the bytes are requested one by one. */
export async function* listReferences({ bucket, owner }: Store, signal: AbortSignal): AsyncGenerator<Reference> {
  await owner.check(signal)
  for await (const { sizeBytes, storedAt, ...copy } of listCopies(bucket, 'b', signal)) {
    const { blobId, reference } = copy
    const content = hasSidecar(blobId) ? await headObject(bucket, contentOf(copy), signal) : { sizeBytes, storedAt }
    if (content) yield { blobId, reference, ...content }
  }
  await owner.check(signal)
}

/** The listed objects with this prefix: bytes of single-leaf copies, trees of others. */
export async function* listCopies(
  bucket: Bucket,
  prefix: string,
  signal: AbortSignal,
): AsyncGenerator<Named & { sizeBytes: number; storedAt: Date }> {
  const query = { 'list-type': '2', prefix }
  const list = { root: 'ListBucketResult', query, next: { 'continuation-token': 'NextContinuationToken' } }
  for await (const page of pagesOf(bucket, list, signal)) {
    for (const object of elementsOf(page, 'Contents')) {
      const copy = copyOf(textOf(object, 'Key') ?? '')
      const [size, storedAt] = [textOf(object, 'Size'), textOf(object, 'LastModified')]
      if (copy) yield { ...copy, sizeBytes: Number(size ?? 0), storedAt: new Date(storedAt ?? '') }
    }
  }
}
