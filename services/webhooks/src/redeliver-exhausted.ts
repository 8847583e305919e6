import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { AppError } from '@tideport/service-kit/process/app-error'
import { type Exhausted, exhaustedDeliveries } from './delivery/exhausted-deliveries.ts'
import { requestRedelivery } from './delivery/request-redelivery.ts'
import { operatorProgram } from './operator-program.ts'

/** Asks for one more attempt of what was given up, as its owner could: `operator redrive --deliveries`. */
await operatorProgram('redeliver-exhausted', {}, async ({ db, log, signal }) => {
  const { values } = parseArgs({
    options: {
      rate: { type: 'string', default: '10' },
      'older-than-seconds': { type: 'string', default: '0' },
      'dry-run': { type: 'boolean', default: false },
    },
  })
  const counts = { planned: 0, refused: 0 }
  const isDryRun = values['dry-run']
  for await (const delivery of exhaustedDeliveries(db, Number(values['older-than-seconds']))) {
    signal.throwIfAborted()
    if (!delivery.isActive || !(isDryRun || (await isPlanned(delivery)))) counts.refused += 1
    else counts.planned += 1
    if (!isDryRun) await delay(1000 / Number(values.rate), undefined, { signal })
  }
  log.info(counts, isDryRun ? 'dry run, nothing was changed' : 'done')

  /** Refused: switched off meanwhile, deleted, or under way. */
  async function isPlanned({ id: deliveryId, webhookId, accountId }: Exhausted): Promise<boolean> {
    try {
      await requestRedelivery(db, { webhookId, accountId, deliveryId })
      return true
    } catch (error) {
      if (error instanceof AppError && (error.code === 'not_found' || error.code === 'state_conflict')) return false
      throw error
    }
  }
})
