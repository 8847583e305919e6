import {
  type DeadDelivery,
  listDeadDeliveries,
  listOperatorWebhookEvents,
  type RedrivenDelivery,
  redriveDeliveries,
} from '@tideport/contracts/public/operator-webhooks'
import { readOperations, recordOperation } from '@tideport/service-kit/http/operator-log'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { WebhooksDeps } from '../deps.ts'
import {
  type DeliverySeen,
  type Exhausted,
  exhaustedCursor,
  findDeliveries,
  lookForExhausted,
} from './exhausted-deliveries.ts'
import { redriveDelivery } from './request-redelivery.ts'

type Deps = Pick<WebhooksDeps, 'db' | 'onDue'>

export function operatorRoutes(deps: Deps) {
  return {
    listDeadDeliveries: listDeadDeliveriesRoute(deps),
    redriveDeliveries: redriveDeliveriesRoute(deps),
    listOperatorWebhookEvents: serve(listOperatorWebhookEvents, ({ query }) => readOperations(deps.db, query)),
  } satisfies Partial<RoutesOf<'webhooks'>>
}

const COST = 4

function listDeadDeliveriesRoute({ db }: Pick<WebhooksDeps, 'db'>) {
  return serve(listDeadDeliveries, async ({ query: { limit, cursor, olderThanSeconds }, charge }) => {
    charge(COST)
    const cursors = await exhaustedCursor(db, { list: 'dead deliveries', olderThanSeconds })
    const { rows, end } = await lookForExhausted(db, { olderThanSeconds, after: cursors.decode(cursor), limit })
    return { deadLetters: rows.map(toDeadDelivery), nextCursor: end && cursors.encode(end) }
  })
}

function toDeadDelivery({ isActive: active, doneAt, ...delivery }: Exhausted): DeadDelivery {
  const { id, webhookId, accountId, event, attempts, statusCode, error } = delivery
  return { id, webhookId, accountId, event, attempts, statusCode, error, since: doneAt.toISOString(), active }
}

const DELIVERIES_PER_REQUEST = 10

type Asked = RouteInput<typeof redriveDeliveries>['body']

function redriveDeliveriesRoute({ db, onDue }: Deps) {
  return serve(redriveDeliveries, async ({ body, principal, request, charge, signal }) => {
    const { deliveryIds, olderThanSeconds = null, dryRun } = body
    const { seen, nextCursor } = await find(db, body)
    charge(Math.ceil(seen.length / DELIVERIES_PER_REQUEST))
    const details = { olderThanSeconds, dryRun, named: deliveryIds?.length ?? null, deliveries: seen.length }
    await recordOperation(db, { principal, request }, { kind: 'webhooks.redrive', details })
    const redriven: RedrivenDelivery[] = []
    // Sequential: parallel calls for one webhook would wait for its row, each with its own connection.
    for (const delivery of seen) {
      signal.throwIfAborted()
      redriven.push(toRedriven(delivery, await redriveDelivery(db, delivery, { isDryRun: dryRun })))
    }
    if (!dryRun) onDue()
    return { redriven: [...redriven, ...missing(deliveryIds, seen)], nextCursor }
  })
}

async function find(
  db: WebhooksDeps['db'],
  { deliveryIds, olderThanSeconds, limit, cursor }: Asked,
): Promise<{ seen: DeliverySeen[]; nextCursor: string | null }> {
  if (deliveryIds !== undefined) {
    if (olderThanSeconds !== undefined || cursor !== undefined)
      throw new AppError('validation_failed', 'Send either deliveryIds or filters, not both')
    return { seen: await findDeliveries(db, deliveryIds), nextCursor: null }
  }
  const cursors = await exhaustedCursor(db, { list: 'redrive deliveries', olderThanSeconds })
  const after = cursors.decode(cursor, 'body')
  const { rows, end } = await lookForExhausted(db, { olderThanSeconds, after, limit })
  return { seen: rows.map((row) => ({ ...row, isExhausted: true })), nextCursor: end && cursors.encode(end) }
}

function toRedriven(
  { id: deliveryId, accountId, error, doneAt }: DeliverySeen,
  outcome: RedrivenDelivery['outcome'],
): RedrivenDelivery {
  return { deliveryId, accountId, error, since: doneAt?.toISOString() ?? null, outcome }
}

function missing(asked: readonly string[] | undefined, found: readonly DeliverySeen[]): RedrivenDelivery[] {
  const known = new Set(found.map(({ id }) => id))
  const others = [...new Set(asked)].filter((id) => !known.has(id))
  return others.map((deliveryId) => ({ deliveryId, accountId: null, error: null, since: null, outcome: 'not_found' }))
}
