import type { ListToRead } from '../../../api/pages-query.ts'

export interface LetterFilter {
  reason?: string | undefined
  olderThanSeconds?: number | undefined
}

export interface Letter {
  /** Tells it from all others of its kind. */
  key: string
  /** What is tried again. */
  id: string
  reason: string | null
  since: string | null
  facts: readonly (readonly [name: string, value: string | null])[]
}

/** What is to be tried again: those that were chosen, 100 at most, or as many of all that fit as one call takes. */
export type Wanted = { ids: string[] } | { filter: LetterFilter; cursor?: string | undefined }

export interface Tried {
  id: string
  reason: string | null
  /** A word of `text.operator.outcomes`. */
  outcome: string
}

/** A kind of what was given up: how it is read, and how it is tried again where that can be done. */
export interface LetterKind {
  hasReason: boolean
  read: (filter: LetterFilter) => ListToRead<Letter>['read']
  redrive?: (wanted: Wanted, dryRun: boolean) => Promise<{ tried: Tried[]; nextCursor: string | null }>
}
