import {
  type DeadDelivery,
  type DeadLetter,
  listDeadDeliveries,
  listDeadLetters,
  redriveDeadLetters,
  redriveDeliveries,
} from '@tideport/sdk'
import { client } from '../../../api/client.ts'
import type { ListToRead } from '../../../api/pages-query.ts'
import { bytes } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { readList } from '../../resource/read-list.ts'

export type KindName = keyof typeof text.value.operator.kinds

export const letterKinds: Record<KindName, LetterKind> = {
  files: ofFiles('files'),
  copies: ofFiles('copies'),
  events: { hasReason: false, read: readerOf('events') },
  deliveries: {
    hasReason: false,
    read: ({ olderThanSeconds }) =>
      mapped(readList('deadLetters', listDeadDeliveries, { olderThanSeconds }), ofDelivery),
    async redrive(wanted, dryRun) {
      const which =
        'ids' in wanted
          ? { deliveryIds: wanted.ids }
          : { olderThanSeconds: wanted.filter.olderThanSeconds, cursor: wanted.cursor }
      const { redriven, nextCursor } = await redriveDeliveries(client(), { ...which, dryRun })
      return { tried: redriven.map(({ deliveryId: id, outcome }) => ({ id, outcome })), nextCursor }
    },
  },
}

export const kindNames = Object.keys(letterKinds) as KindName[]

function ofFiles(kind: 'files' | 'copies'): LetterKind {
  return {
    hasReason: true,
    read: readerOf(kind),
    async redrive(wanted, dryRun) {
      const which =
        'ids' in wanted ? { fileIds: wanted.ids } : { ...askedOf(kind, wanted.filter), cursor: wanted.cursor }
      const { redriven, nextCursor } = await redriveDeadLetters(client(), { ...which, dryRun })
      return { tried: redriven.map(({ fileId: id, outcome }) => ({ id, outcome })), nextCursor }
    },
  }
}

const askedOf = <Kind extends DeadLetter['kind']>(kind: Kind, { reason, olderThanSeconds }: LetterFilter) => ({
  kind,
  error: reason,
  olderThanSeconds,
})

function readerOf(kind: DeadLetter['kind']): LetterKind['read'] {
  return (filter) => mapped(readList('deadLetters', listDeadLetters, askedOf(kind, filter)), toLetter)
}

function mapped<Item>(read: ListToRead<Item>['read'], toOne: (item: Item) => Letter): ListToRead<Letter>['read'] {
  return async (options) => {
    const { items, nextCursor } = await read(options)
    return { items: items.map(toOne), nextCursor }
  }
}

function toLetter(letter: DeadLetter): Letter {
  const { app, operator: t } = text.value
  const { kind, id, accountId, status, sizeBytes, network, copies, event, reason, since } = letter
  return {
    key: `${id} ${network ?? ''}`,
    id,
    reason: reason ?? event,
    since,
    facts: [
      [kind === 'events' ? app.event : t.file, id],
      [app.account, accountId],
      [app.state, status],
      [app.size, sizeBytes === null ? null : bytes(sizeBytes)],
      [t.network, network],
      [app.copies, copies?.map((copy) => `${copy.network} ${copy.state}`).join(', ') ?? null],
    ],
  }
}

function ofDelivery(delivery: DeadDelivery): Letter {
  const { app, operator: t } = text.value
  const { id, webhookId, accountId, event, attempts, statusCode, error, since, active } = delivery
  return {
    key: id,
    id,
    reason: error ?? t.answered(statusCode),
    since,
    facts: [
      [app.event, event],
      [app.delivery, id],
      [t.webhook, active ? webhookId : t.switchedOff(webhookId)],
      [app.account, accountId],
      [app.attempts, String(attempts)],
    ],
  }
}

export interface LetterFilter {
  reason?: string | undefined
  olderThanSeconds?: number | undefined
}

export interface Letter {
  /** Unique within the kind. */
  key: string
  id: string
  reason: string | null
  since: string | null
  facts: readonly (readonly [name: string, value: string | null])[]
}

/** Up to 100 IDs, or a filter for as many dead letters as one call accepts. */
export type Wanted = { ids: string[] } | { filter: LetterFilter; cursor?: string | undefined }

export interface Tried {
  id: string
  /** A key of `text.operator.outcomes`. */
  outcome: string
}

interface LetterKind {
  hasReason: boolean
  read: (filter: LetterFilter) => ListToRead<Letter>['read']
  redrive?: (wanted: Wanted, dryRun: boolean) => Promise<{ tried: Tried[]; nextCursor: string | null }>
}
