import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { exhaustedDeliveries } from './delivery/exhausted-deliveries.ts'
import { redriveDelivery } from './delivery/request-redelivery.ts'
import { operatorProgram } from './operator-program.ts'

await operatorProgram('redeliver-exhausted', {}, async ({ db, log, signal }) => {
  const { values } = parseArgs({
    options: {
      rate: { type: 'string', default: '10' },
      'older-than-seconds': { type: 'string', default: '0' },
      'dry-run': { type: 'boolean', default: false },
    },
  })
  // `refused`: the webhook is disabled or deleted, or an attempt is in progress.
  const counts = { planned: 0, refused: 0 }
  const isDryRun = values['dry-run']
  for await (const delivery of exhaustedDeliveries(db, Number(values['older-than-seconds']))) {
    signal.throwIfAborted()
    const outcome = await redriveDelivery(db, { ...delivery, isExhausted: true }, { isDryRun })
    counts[outcome === 'planned' || outcome === 'would_be_tried' ? 'planned' : 'refused'] += 1
    if (!isDryRun) await delay(1000 / Number(values.rate), undefined, { signal })
  }
  log.info(counts, isDryRun ? 'dry run, nothing was changed' : 'done')
})
