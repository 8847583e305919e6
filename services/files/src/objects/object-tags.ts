import { objectContentsApi } from '@tideport/contracts/internal/object-contents'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { editFile } from '@tideport/file-lifecycle/state/edit-file'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import { getBucket, missing } from '../buckets/find-bucket.ts'
import { findObject } from './find-object.ts'
import { assertKeyWithin } from './key-limits.ts'

/** S3 tags have values: `key=value`, with `=` and `%` of the key escaped. */
export function toTags(pairs: Record<string, string>): string[] {
  return Object.entries(pairs)
    .map(([key, value]) => `${key.replace(/[%=]/g, encodeURIComponent)}=${value}`)
    .toSorted()
}

/** A tag from another client may have no value. */
export function pairsOfTags(tags: readonly string[] | null): Record<string, string> {
  const pairs = (tags ?? []).map((tag) => {
    const [, key = tag, value = ''] = /^([^=]*)=(.*)$/s.exec(tag) ?? []
    return [key.replaceAll('%3D', '=').replaceAll('%25', '%'), value]
  })
  return Object.fromEntries(pairs)
}

export function readObjectTagsRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(objectContentsApi.readObjectTags, async ({ principal, params, query: { key } }) => {
    const vault = await getBucket(db, principal, params.slug)
    assertKeyWithin(principal, key, 'read')
    const file = await findObject(db, vault, key)
    if (file === null) throw missing('key')
    return { tags: pairsOfTags(file.tags) }
  })
}

export function putObjectTagsRoute({ db, relay }: { db: Kysely<FilesDb>; relay: Pick<Relay, 'wake'> }) {
  return serve(objectContentsApi.putObjectTags, async ({ principal, params, query: { key }, body }) => {
    const vault = await getBucket(db, principal, params.slug)
    assertKeyWithin(principal, key, 'write')
    const tags = toTags(body.tags)
    for (;;) {
      const file = await findObject(db, vault, key)
      if (file === null) throw missing('key')
      // Null: another file has taken the key.
      if ((await editFile(db, file, { tags })) === null) continue
      relay.wake()
      return {}
    }
  })
}
