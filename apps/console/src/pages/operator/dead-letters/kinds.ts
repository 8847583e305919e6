import { type DeadLetter, listDeadLetters, redriveDeadLetters } from '@tideport/sdk'
import { client } from '../../../api/client.ts'
import { bytes } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import type { Letter, LetterKind } from './letter.ts'

export type KindName = keyof typeof text.value.operator.kinds

/** Every kind, in the order in which they are offered. */
export const letterKinds: Record<KindName, LetterKind> = {
  files: ofFiles('files'),
  copies: ofFiles('copies'),
  events: { hasReason: false, read: readerOf('events') },
}

export const kindNames = Object.keys(letterKinds) as KindName[]

function ofFiles(kind: 'files' | 'copies'): LetterKind {
  return {
    hasReason: true,
    read: readerOf(kind),
    async redrive(wanted, dryRun) {
      const which =
        'ids' in wanted
          ? { fileIds: wanted.ids }
          : {
              kind,
              error: wanted.filter.reason,
              olderThanSeconds: wanted.filter.olderThanSeconds,
              cursor: wanted.cursor,
            }
      const { redriven, nextCursor } = await redriveDeadLetters(client(), { ...which, dryRun })
      return { tried: redriven.map(({ fileId: id, reason, outcome }) => ({ id, reason, outcome })), nextCursor }
    },
  }
}

function readerOf(kind: DeadLetter['kind']): LetterKind['read'] {
  return async ({ reason, olderThanSeconds }, { cursor, signal }) => {
    const asked = { kind, error: reason, olderThanSeconds, cursor }
    const { deadLetters, nextCursor } = await listDeadLetters(client(), asked, { signal }).page()
    return { letters: deadLetters.map(toLetter), nextCursor }
  }
}

function toLetter(letter: DeadLetter): Letter {
  const t = text.value.operator
  const { kind, id, accountId, status, sizeBytes, network, copies, event, reason, since } = letter
  return {
    key: `${id} ${network ?? ''}`,
    id,
    reason: reason ?? event,
    since,
    facts: [
      [kind === 'events' ? t.event : t.file, id],
      [t.account, accountId],
      [t.status, status],
      [t.size, sizeBytes === null ? null : bytes(sizeBytes)],
      [t.network, network],
      [t.copies, copies?.map((copy) => `${copy.network} ${copy.state}`).join(', ') ?? null],
    ],
  }
}
