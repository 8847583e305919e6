import type { Kysely } from 'kysely'
import type { FilesDb } from './tables.ts'

/** A vault in the trash leaves its slug to others. */
export async function takenSlugs(db: Kysely<FilesDb>, accountId: string): Promise<Set<string>> {
  const taken = await db
    .selectFrom('vault')
    .select('slug')
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .execute()
  return new Set(taken.map(({ slug }) => slug))
}

/** As the names of S3 buckets. */
const MAX_LENGTH = 63
const MIN_LENGTH = 3

/** NFKD without marks, lower case, `-` for other characters, 3 to 63 characters (docs/reference/http/files.md). */
export function vaultSlug(name: string, taken: ReadonlySet<string> = new Set()): string {
  const plain = slugify(name)
  const base = plain.length < MIN_LENGTH ? [plain, 'vault'].filter((part) => part !== '').join('-') : plain
  return freeSlug(base, taken)
}

/** The slug itself, or with the first free suffix: `-2`, `-3`…. */
export function freeSlug(base: string, taken: ReadonlySet<string>): string {
  let slug = base
  for (let number = 2; taken.has(slug); number += 1) {
    const suffix = `-${number}`
    slug = trimEnds(base.slice(0, MAX_LENGTH - suffix.length)) + suffix
  }
  return slug
}

function slugify(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  return trimEnds(trimEnds(plain.replace(/[^a-z0-9]+/g, '-')).slice(0, MAX_LENGTH))
}

function trimEnds(text: string): string {
  return text.replace(/^[-.]+|[-.]+$/g, '')
}
